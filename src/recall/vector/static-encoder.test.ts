import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import checks from '../../../test/fixtures/encoder/static-en-128.json' with { type: 'json' }
import { tempFolder } from '../../../test/cli/run.ts'
import { baseForms, gramHashes, sentenceWords } from './sentence-words.ts'
import { parseSentenceWeights, readSentenceWeights } from './sentence-weights.ts'
import { STATIC_WEIGHTS_FILE, staticEncoder, wordRows } from './static-encoder.ts'
import { rounds } from '../../../test/rounds.ts'

const encoder = staticEncoder()

test.each(checks)('gives the vector that its training gave: $text', ({ text, vector }) => {
  const given = encoder.encode(text)
  expect(given).toHaveLength(128)
  for (const [at, value] of given.entries()) expect(Math.abs(value - (vector[at] ?? NaN))).toBeLessThan(1e-5)
})

test('puts an answer nearer to its question than other texts', () => {
  const question = encoder.encode('When do I see the dentist?')
  const [answer, other] = [
    cosine(question, encoder.encode('The dental checkup is on Friday at nine.')),
    cosine(question, encoder.encode('We use port 48213 for the staging server.')),
  ]
  expect(answer).toBeGreaterThan(other + 0.2)
})

test('embeds many texts in order, and says who it is', async () => {
  const texts = ['one cat', '', 'two dogs']
  const vectors = await encoder.embed(texts)
  expect(vectors).toEqual(texts.map((text) => encoder.encode(text)))
  expect(encoder).toMatchObject({ id: 'static-en-128-2', dimensions: 128 })
})

describe('words', () => {
  test.each<[string, string[]]>([
    ['Hello, World', ['hello', 'world']],
    ['Café naïve RÉSUMÉ', ['cafe', 'naive', 'resume']],
    ['it’s the dog‘s and the cat`s', ['it', 'the', 'dog', 'and', 'the', 'cat']],
    [`I don't, you can't, won’t`, ['i', 'not', 'you', 'not', 'not']],
    [`rock'n'roll o'clock`, ['rock', 'roll', 'o']],
    ['ﬁne ２０２６ ①', ['fine', '2026', '1']],
    ['port48213/tcp a_b', ['port48213', 'tcp', 'a', 'b']],
    ['日本語だけ', []],
    ["''' ---", []],
  ])('%s', (text, words) => expect(sentenceWords(text, 96).words).toEqual(words))

  test('at most so many, from the first', () =>
    expect(sentenceWords('a b c d', 3).words).toEqual(['a', 'b', 'c']))

  test('letters of other scripts are counted and not seen', () =>
    expect(sentenceWords('ok Привет мир 你好', 96)).toEqual({ words: ['ok'], foreign: 3 }))

  test('of a long text are those that the whole of it has', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', "x'y", 'É', ' ', '\n', 'e\u0301', '—'.repeat(900), '😀')),
        (parts) => {
          const text = parts.join('').repeat(40)
          const whole = text
            .toLowerCase()
            .normalize('NFKD')
            .replace(/[\u0300-\u036F]/g, '')
            .match(/[a-z0-9]+(?:'[a-z]+)?/g)
          const expected = (whole ?? []).slice(0, 96).map((word) => word.replace(/'.*/, ''))
          expect(sentenceWords(text, 96).words).toEqual(expected)
        },
      ),
    ))

  test.each<[string, string[]]>([
    ['berries', ['berry', 'berri', 'berrie']],
    ['tried', ['try', 'tri', 'trie']],
    ['walked', ['walk', 'walke']],
    ['baking', ['bak', 'bake']],
    ['quickly', ['quick']],
    ['faster', ['fast', 'faste']],
    ['kindness', ['kindnes', 'kind']],
    ['runs', []],
    ['house', []],
  ])('%s may be a form of %j', (word, forms) => expect([...baseForms(word)]).toEqual(forms))

  test.each<[string, number]>([
    ['ab', 1],
    ['abc', 2],
    ['abcdefghi', 8],
    ['a'.repeat(60), 8],
  ])('%s has %i pieces', (word, count) => expect(gramHashes(word)).toHaveLength(count))

  test('the hash of a piece is FNV-1a', () => expect(gramHashes('ab')).toEqual([0x2835_e92e]))
})

describe('rows', () => {
  const table = wordRows(readSentenceWeights(STATIC_WEIGHTS_FILE))
  const row = (word: string) => [table.weights.words.get(word)]

  test.each([
    ['wallabies', 'wallaby'],
    ['snowboarded', 'snowboard'],
    ['mushrooms', 'mushrooms'],
    ['1234567', '#6'],
    ['48213', '#5'],
  ])('%s takes that of %s', (word, base) => {
    expect(table.rowsOf(word)).toEqual(row(base))
    expect(table.isKnown(word)).toBe(true)
  })

  test('a word that nobody knows takes hashed ones', () => {
    const rows = table.rowsOf('xqzzyplonk')
    expect(rows).toHaveLength(8)
    for (const one of rows) expect(one).toBeGreaterThanOrEqual(table.weights.words.size)
    expect(table.isKnown('xqzzyplonk')).toBe(false)
  })
})

test.each([
  ['When is my dentist appointment?', 1],
  ['xqzzyplonk frobnicatrix', 0],
  ['dentist xqzzyplonk', 0.5],
  ['dentist завтра', 0.5],
  ['日本語だけ', 0],
  ['', 0],
])('%j is trusted %d', (text, trust) => expect(encoder.trust(text)).toBe(trust))

test('any text has a vector of unit length or of zeros', () =>
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), wordy), (text) => {
      const vector = encoder.encode(text)
      const length = Math.hypot(...vector)
      expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true)
      expect(encoder.trust(text)).toBeGreaterThanOrEqual(0)
      expect(encoder.trust(text)).toBeLessThanOrEqual(1)
    }),
    { numRuns: rounds(500) },
  ))

describe('weights', () => {
  const whole = senc()

  test('are read as they stand in the file', () => {
    const { dimensions, hashRows, scales, rows, words } = parseSentenceWeights(whole)
    expect({ dimensions, hashRows, words: [...words] }).toEqual({
      dimensions: 2,
      hashRows: 1,
      words: [
        ['a', 0],
        ['é', 1],
      ],
    })
    expect([...scales]).toEqual([0.5, 1, 2])
    expect([...rows]).toEqual([1, -2, 3, -4, 5, -6])
  })

  test('are read from bytes that begin anywhere', () => {
    const shifted = new Uint8Array(whole.length + 1)
    shifted.set(whole, 1)
    expect(parseSentenceWeights(shifted.subarray(1))).toEqual(parseSentenceWeights(whole))
  })

  test.each<[string, Uint8Array, string]>([
    ['no bytes', new Uint8Array(), 'the file is too short (0 bytes)'],
    ['another file', changed(whole, 0, 0x50), 'it starts with "PENC" instead of SENC'],
    ['a later version', changed(whole, 4, 9), 'it has version 9, but this program reads version 1'],
    ['no hashed rows', changed(whole, 12, 0), '2 + 0 rows of 2 numbers'],
    ['more rows than anybody has', changed(whole, 11, 0xff), 'rows of 2 numbers'],
    ['a file cut short', whole.subarray(0, -1), 'bytes, but its header says'],
    ['a word too few', changed(whole, 25, 0x61), 'it has 1 different words, but its header says 2'],
  ])('are refused: %s', (_, bytes, why) => expect(() => parseSentenceWeights(bytes)).toThrow(why))

  test('that are not there are named, with what to do', () => {
    const file = join(tempFolder(), 'missing.senc')
    expect(() => staticEncoder(file).encode('a')).toThrow(
      new RegExp(`^could not use the weights ${file}: ENOENT.*Reinstall mainstem`),
    )
    writeFileSync(file, readFileSync(STATIC_WEIGHTS_FILE).subarray(0, 100_000))
    expect(() => staticEncoder(file).encode('a')).toThrow('it has 100000 bytes, but its header says')
  })
})

const wordy = fc
  .array(fc.constantFrom("don't", 'cafés', '2026', 'ZÜRICH', 'unbelievableness', 'x', '…', 'İstanbul', '``'))
  .map((words) => words.join(' '))

/** Two words and one hashed row, of two dimensions. */
function senc(): Uint8Array {
  const vocabulary = new TextEncoder().encode('a\né')
  const bytes = new Uint8Array(24 + 4 + 12 + 6)
  const view = new DataView(bytes.buffer)
  bytes.set(new TextEncoder().encode('SENC'))
  for (const [at, value] of [1, 2, 1, 2, vocabulary.length].entries()) view.setUint32(4 + 4 * at, value, true)
  bytes.set(vocabulary, 24)
  for (const [at, value] of [0.5, 1, 2].entries()) view.setFloat32(28 + 4 * at, value, true)
  bytes.set(new Uint8Array(Int8Array.of(1, -2, 3, -4, 5, -6).buffer), 40)
  return bytes
}

function changed(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const copy = bytes.slice()
  copy[at] = value
  return copy
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
}
