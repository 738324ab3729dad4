import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NaiveSearch } from '../../../test/recall-search/naive-search.ts'
import { AT, documentsFor, indexOf, MINUTE, type Said } from '../../../test/recall-search/said.ts'
import type { Document } from '../contract/document.ts'
import { openTextIndex } from '../index/sqlite-index.ts'
import type { TextIndex } from '../contract/text-index.ts'
import { termsOf } from '../words/words.ts'
import { readQuestion } from './question.ts'
import { WordSearch } from './word-search.ts'
import { rounds } from '../../../test/rounds.ts'

const all = () => true
const one = () => 1
const WORDS = ['clay', 'tent', 'rose', 'lamp', 'lake', 'piano', 'tiger', 'bread']
const LONG = 61

function find(
  index: TextIndex,
  text: string,
  { words = new WordSearch(), isInside = all, mayBe = isInside, prior = one }: Partial<Finding> = {},
) {
  const question = readQuestion(index, text, { knows: all })
  const found = words.find({ index, question, prior, filter: { isInside, mayBe } })
  return { ...found, scores: found.own.map((own, at) => own * (found.factors[at] as number)) }
}

interface Finding {
  readonly words: WordSearch
  readonly isInside: (document: number) => boolean
  readonly mayBe: (document: number) => boolean
  readonly prior: (document: number) => number
}

/** What the words of each document are worth, by its number. */
function owns(said: readonly (Said | string)[], text: string, finding: Partial<Finding> = {}): number[] {
  const { documents, own } = find(indexOf(...said), text, finding)
  return said.map((_, number) => own[documents.indexOf(number)] ?? 0)
}

const filled = (text: string, words: number) =>
  `${text}${' filler'.repeat(Math.max(0, words - termsOf(text).length))}`
const long = (text: string) => filled(text, LONG)
const others = Array.from({ length: 30 }, (_, at): Said => ({
  text: 'else',
  branch: 1,
  at: AT + at * MINUTE,
}))

describe('around a word', () => {
  const said = ['one', 'two', 'three', 'four', 'clay', 'six', 'seven', 'eight', 'nine']

  test('three messages behind it and three before it are found, what is behind it first', () => {
    const worths = owns([...others, ...said], 'clay').slice(others.length)
    const most = worths[4] as number
    const shares = worths.map((worth) => Number((worth / most).toFixed(3)))
    expect(shares).toEqual([0, 0.2, 0.3, 0.4, 1, 0.6, 0.3, 0.2, 0])
  })

  test('the answer to a question is found more than what follows a statement', () => {
    const [, asked = 0] = owns(['clay?', 'yes', ...others], 'clay')
    const [, told = 0] = owns(['clay', 'yes', ...others], 'clay')
    expect(asked / told).toBeCloseTo(1.3, 5)
  })

  test('a word counts once, where it counts most', () => {
    const [alone = 0] = owns(['clay', 'yes', ...others], 'clay')
    const index = indexOf('clay', 'clay', 'clay', ...others)
    const gain = Math.log((33 - 3 + 0.5) / 3.5) / Math.log((32 - 1 + 0.5) / 1.5)
    const { documents, own } = find(index, 'clay')
    expect((own[documents.indexOf(1)] as number) / (alone * gain)).toBeCloseTo(1, 5)
  })

  test('two words add up, wherever they stand', () => {
    const [, between = 0] = owns(['clay', 'yes', 'tent', ...others], 'clay tent')
    const [, beside = 0] = owns(['clay', 'yes', 'no', ...others], 'clay')
    expect(between).toBeGreaterThan(beside)
  })

  test('a long message gives nothing to its neighbours', () => {
    expect(owns(['yes', long('clay'), 'no', ...others], 'clay').slice(0, 3)).toEqual([
      0,
      expect.any(Number),
      0,
    ])
  })

  test('a long message is found beside a word, and parts what stands on its two sides', () => {
    const [, beside = 0, over] = owns(['clay', long('well'), 'yes', ...others], 'clay')
    expect(beside).toBeGreaterThan(0)
    expect(over).toBe(0)
  })

  test('words of asking count less than those of the topic', () => {
    const [talk = 0, clay = 0] = owns(
      ['conversation', { text: 'clay', branch: 2 }, ...others],
      'conversation clay',
    )
    expect(talk / clay).toBeCloseTo(0.3, 5)
  })

  test('a length is compared with what people say, however long replies are', () => {
    const replies = ['one', 'two'].map((text): Said => ({
      by: 'assistant',
      text: filled(text, 400),
      branch: 2,
    }))
    const said = ['clay', filled('clay', 40), ...others]
    const [short = 0, longer = 0] = owns(said, 'clay')
    const [shortBeside = 0, longerBeside = 0] = owns([...said, ...replies], 'clay')
    expect(shortBeside / longerBeside).toBeCloseTo(short / longer, 5)
  })

  test('a pause of more than an hour ends it, and another branch is elsewhere', () => {
    const said = [
      { text: 'clay', at: AT },
      { text: 'elsewhere', at: AT + MINUTE, branch: 1 },
      { text: 'later', at: AT + 61 * MINUTE + 1_000 },
    ]
    expect(owns(said, 'clay').map((worth) => worth > 0)).toEqual([true, false, false])
  })

  test('an answer is found by what another one asked, where only its speaker is wanted', () => {
    const found = owns(['do you like clay?', 'very much'], 'clay', { mayBe: (document) => document === 1 })
    expect(found).toEqual([0, expect.any(Number)])
    expect(found[1]).toBeGreaterThan(0)
  })

  test('nothing is found by what lies outside of the search', () => {
    expect(owns(['clay', 'yes'], 'clay', { isInside: (document) => document === 1 })).toEqual([0, 0])
  })
})

test('of many messages that are all the same the newest are looked at', () => {
  const index = openTextIndex('memory')
  const count = 9_000
  index.add(documentsFor(Array.from({ length: count }, () => 'clay')), count)
  const { documents } = find(index, 'clay')
  expect(documents.length).toBeGreaterThan(500)
  expect(documents.length).toBeLessThan(count)
  // The very last ones have fewer beside them.
  expect(documents).toContain(count - 10)
  expect(documents).not.toContain(100)
})

test('very common words are left out where rare ones find enough', () => {
  const index = openTextIndex('memory')
  const texts = Array.from({ length: 15_000 }, (_, at) =>
    at < 2_000 ? 'clay common' : at % 2 ? 'common' : 'other',
  )
  index.add(documentsFor(texts.map((text, at) => ({ text, at: AT + at * 100 * MINUTE }))), texts.length)
  expect(find(index, 'clay common').documents.every((document) => document < 2_000)).toBe(true)
  expect(find(index, 'common').documents.some((document) => document > 2_000)).toBe(true)
})

const saidArbitrary = fc.array(
  fc.record({
    by: fc.constantFrom('Anna', 'Bert', 'assistant'),
    words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }),
    end: fc.constantFrom('', '', '?'),
    length: fc.constantFrom(0, 0, 0, 0, LONG - 1, LONG, LONG),
    branch: fc.nat(1),
    pause: fc.constantFrom(1, 1, 1, 90),
    isSummary: fc.nat(9).map((number) => number === 0),
  }),
  { minLength: 1, maxLength: 40 },
)

function documentsOf(some: typeof saidArbitrary extends fc.Arbitrary<infer T> ? T : never): Document[] {
  let at = AT
  return documentsFor(
    some.map(({ by, words, end, length, branch, pause, isSummary }): Said => {
      at += pause * MINUTE
      return {
        by,
        text: filled(words.join(' '), length) + end,
        at,
        branch,
        ...(isSummary && { kind: 'summary' }),
      }
    }),
  )
}

const questionsArbitrary = fc.array(
  fc.record({
    words: fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }),
    more: fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 3 }),
    hidden: fc.nat(5),
    unwanted: fc.nat(5),
  }),
  { minLength: 1, maxLength: 6 },
)
type Asked = typeof questionsArbitrary extends fc.Arbitrary<(infer T)[]> ? T : never

interface Comparing {
  readonly words: WordSearch
  readonly asked: Asked
}

const prior = (document: number) => 1 + (document % 3)

/** Asks both and compares everything. */
function compare(index: TextIndex, documents: readonly Document[], { words, asked }: Comparing): void {
  const naive = new NaiveSearch(documents)
  const isInside = (document: number) => document % 6 !== asked.hidden
  const mayBe = (document: number) => isInside(document) && document % 5 !== asked.unwanted
  const found = find(index, asked.words.join(' '), { words, isInside, mayBe, prior })
  const termOf = (word: string) => naive.term(termsOf(word)[0] as string)
  const terms = asked.words.map(termOf).filter(({ term }) => index.count(term) > 0)
  const near = naive.near(terms, isInside)
  const expected = near.filter(mayBe)
  expect([...found.documents].toSorted((a, b) => a - b)).toEqual(expected)
  const some = asked.more.map(termOf)
  const worths = some.map(({ term, gain }) => ({ postings: index.postings(term), gain }))
  const more = words.more(index.columns, worths, found.documents)
  for (const [at, document] of found.documents.entries()) {
    const { own, session } = naive.score(document, terms)
    expect(found.own[at]).toBeCloseTo(own, 4)
    expect(found.factors[at]).toBeCloseTo(prior(document) * (1 + session), 4)
    expect(more[at]).toBeCloseTo(naive.score(document, some, (other) => near.includes(other)).own, 4)
  }
}

describe('a search by words gives what a plain one gives', () => {
  test('for every document, whatever was searched before', () => {
    fc.assert(
      fc.property(saidArbitrary, questionsArbitrary, (said, questions) => {
        const index = openTextIndex('memory')
        const documents = documentsOf(said)
        index.add(documents, documents.length)
        const words = new WordSearch()
        for (const asked of questions) compare(index, documents, { words, asked })
        index.close()
      }),
      { numRuns: rounds(150) },
    )
  })

  test('while the index grows, and after it began anew', () => {
    fc.assert(
      fc.property(saidArbitrary, saidArbitrary, questionsArbitrary, (said, anew, questions) => {
        const index = openTextIndex('memory')
        const words = new WordSearch()
        for (const documents of [documentsOf(said), documentsOf(anew)]) {
          for (let to = 1; to <= documents.length; to += 7) {
            index.add(documents.slice(0, to), to)
            for (const asked of questions.slice(0, 2))
              compare(index, documents.slice(0, to), { words, asked })
          }
          index.clear()
        }
        index.close()
      }),
      { numRuns: rounds(60) },
    )
  })
})
