import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isStopWord } from './stop-words.ts'
import { termsOf, wordsIn } from './words.ts'
import { rounds } from '../../../test/rounds.ts'

const TERM_LENGTH_MAX = 64
const LONG = 1_000_000

describe('what a text is found by', () => {
  test.each([
    ['the forms of one English word', 'Connected connections CONNECTING', ['connect', 'connect', 'connect']],
    ['words with and without accents', 'Café naïve Łódź Straße', termsOf('cafe naive lodz strasse')],
    ['wide, narrow and joined letters', 'Ｈｅｌｌｏ ﬁne Ⅳ', termsOf('hello fine iv')],
    ['Greek in any case', 'ΟΔΟΣ οδός', ['οδοσ', 'οδοσ']],
    ['digits and words with digits', 'gpt4 costs 20 at 5pm', termsOf('GPT4 Costs 20 At 5PM')],
    ['symbols one by one', '👩‍💻❤️!', ['👩', '💻', '❤']],
    ['Han by characters and pairs', '黑猫', ['黑', '黑猫', '猫']],
    ['a single Han character', '猫!', ['猫']],
    ['Kana by pairs', 'ねこだ', ['ねこ', 'こだ']],
    ['narrow Kana as wide', 'ｶﾞｽ', ['ガス']],
    ['Thai by threes', 'สวัส', ['สวั', 'วัส']],
    ['Hangul by words and pairs', '학교에', ['학교에', '학교', '교에']],
    ['words of Indian scripts with their vowels', 'हिन्दी में', ['हिन्दी', 'में']],
    ['a name behind an apostrophe', "O'Brien", ['o', 'brien']],
    ['half a character not at all', '\ud800abc\udc00', ['abc']],
  ])('%s', (_, text, terms) => {
    expect(termsOf(text)).toEqual(terms)
  })

  test('contractions and possessives lose what follows the apostrophe, whichever apostrophe it is', () => {
    expect(termsOf("Anna's we’ll they`re")).toEqual(termsOf('Anna we they'))
    expect(termsOf("don't CAN’T")).toEqual(['not', 'not'])
  })

  test('a word is cut, never inside a character', () => {
    expect(termsOf('1'.repeat(LONG))).toEqual(['1'.repeat(TERM_LENGTH_MAX)])
    expect(termsOf(`1${'𐐨'.repeat(TERM_LENGTH_MAX)}`)[0]).toHaveLength(TERM_LENGTH_MAX - 1)
  })

  test.each(['a', '猫', 'ก', '가', '\u0301', '😀', "a'", 'é', '\ud800', '½', '1 '])(
    'a million times %j is read to its end',
    (character) => {
      expect(termsOf(character.repeat(LONG)).length).toBeLessThanOrEqual(2 * LONG)
    },
  )

  test('no text makes it throw, and every term can be stored and found again', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
    )
    fc.assert(
      fc.property(anything, (text) => {
        for (const term of termsOf(text)) {
          expect(term).not.toBe('')
          expect(term.isWellFormed()).toBe(true)
          expect(term.length).toBeLessThanOrEqual(TERM_LENGTH_MAX)
          expect(term).not.toMatch(/\s/u)
        }
      }),
      { numRuns: rounds(2_000) },
    )
  })

  test('the way a text is encoded, its case and what stands around it make no difference', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(termsOf(one.normalize('NFD'))).toEqual(termsOf(one.normalize('NFC')))
        expect(termsOf(`${one} \n ${other}`)).toEqual([...termsOf(one), ...termsOf(other)])
      }),
      { numRuns: rounds(1_000) },
    )
  })

  test('words are the same terms, with what was typed', () => {
    expect(wordsIn("Didn't Anna's cafés close? 黑猫")).toEqual([
      { typed: "Didn't", term: 'not' },
      { typed: "Anna's", term: 'anna' },
      { typed: 'cafés', term: 'cafe' },
      { typed: 'close', term: 'close' },
      { typed: '黑', term: '黑' },
      { typed: '黑猫', term: '黑猫' },
      { typed: '猫', term: '猫' },
    ])
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(wordsIn(text).map(({ term }) => term)).toEqual(termsOf(text))
      }),
    )
  })
})

test('stop words are known in any case and contraction', () => {
  for (const typed of ['the', 'What', "don't", 'I’m', 'dont', "she'll"])
    expect([typed, isStopWord(typed)]).toEqual([typed, true])
  for (const typed of ['Anna', "Anna's", 'pottery', '猫', ''])
    expect([typed, isStopWord(typed)]).toEqual([typed, false])
})
