import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../base/tokens.ts'
import { snippetOf, withoutRepeats } from './snippet.ts'
import { termsOf } from './words/words.ts'

const filler = (count: number, about = 'weather'): string =>
  Array.from({ length: count }, (_, n) => `Sentence ${n} is about the ${about} and says little.`).join(' ')

describe('a snippet', () => {
  test('of a short text is the text', () => {
    expect(snippetOf(' Yes, Friday.\n', { terms: ['friday'], tokensMax: 20 })).toBe('Yes, Friday.')
  })

  test('of a long text is the passage with the words of the question, between ends of sentences', () => {
    const text = `${filler(40)} The ferry to Sicily leaves at nine. ${filler(40)}`
    const snippet = snippetOf(text, { terms: termsOf('when does the ferry to Sicily leave'), tokensMax: 60 })
    expect(snippet).toContain('The ferry to Sicily leaves at nine.')
    expect(snippet).toMatch(/^… Sentence .* little\. …$/)
  })

  test('prefers a word that the text has once to one that it has everywhere', () => {
    const text = `${filler(30, 'ferry')} Sicily was lovely in spring. ${filler(30, 'ferry')}`
    expect(snippetOf(text, { terms: termsOf('ferry Sicily'), tokensMax: 40 })).toContain('Sicily was lovely')
  })

  test('prefers the place where several words stand together', () => {
    const text = `A ferry. ${filler(30)} In Sicily. ${filler(30)} The ferry to Sicily was late. ${filler(30)}`
    expect(snippetOf(text, { terms: termsOf('ferry Sicily'), tokensMax: 40 })).toContain(
      'The ferry to Sicily',
    )
  })

  test('without any word of the question is the beginning', () => {
    const snippet = snippetOf(filler(50), { terms: termsOf('unheard'), tokensMax: 40 })
    expect(snippet).toMatch(/^Sentence 0 .*\. …$/)
  })

  test('of one endless line is cut between words', () => {
    const text = `${'alpha beta gamma '.repeat(200)}needle ${'delta '.repeat(400)}`
    const snippet = snippetOf(text, { terms: termsOf('needle'), tokensMax: 30 })
    expect(snippet).toContain('needle')
    expect(snippet.replaceAll(/alpha|beta|gamma|needle|delta|…/g, '').trim()).toBe('')
  })

  test.each([
    ['x', 4_000_000],
    ['.', 300_000],
    ['\t', 300_000],
  ])('of an endless row of %j is cut in time, and short', (sign, length) => {
    const snippet = snippetOf(`a${sign.repeat(length)}b`, { terms: ['x'], tokensMax: 40 })
    expect(snippet.length).toBeLessThan(1_000)
    expect(estimateTokens(snippet)).toBeLessThanOrEqual(40)
  })

  test('never is longer than asked for, and never parts a character', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 600, size: 'max' }),
      fc
        .array(fc.constantFrom('ferry', 'Sicily.', '👩‍👩‍👧‍👦', '船', '船票很贵。', 'é', '\n', 'naïve', '…'), {
          maxLength: 400,
          size: 'max',
        })
        .map((words) => words.join(' ')),
      fc
        .array(fc.constantFrom('👩‍👩‍👧‍👦', '船', 'x'), { maxLength: 400, size: 'max' })
        .map((words) => words.join('')),
    )
    fc.assert(
      fc.property(texts, fc.integer({ min: 4, max: 80 }), (text, tokensMax) => {
        const snippet = snippetOf(text, { terms: termsOf('ferry 船'), tokensMax })
        expect(estimateTokens(snippet)).toBeLessThanOrEqual(tokensMax)
        expect(snippet.isWellFormed()).toBe(true)
        const said = snippet.replace(/^… /, '').replace(/ ?…$/, '')
        expect(text.toWellFormed()).toContain(said)
        const signs = new Set(
          Array.from(new Intl.Segmenter().segment(text.toWellFormed()), ({ segment }) => segment),
        )
        for (const { segment } of new Intl.Segmenter().segment(said)) expect(signs).toContain(segment)
      }),
    )
  })

  test('of a book is found', () => {
    const text = `${filler(20_000)} The needle is here. ${filler(100)}`
    expect(snippetOf(text, { terms: termsOf('needle'), tokensMax: 60 })).toContain('needle')
  })
})

const distinct = (...all: string[]): string[] =>
  withoutRepeats(all.map((text) => ({ text }))).map(({ text }) => text)

describe('repeats', () => {
  test('in the same words are one, and the best stays', () => {
    expect(distinct('Good morning!', 'good  morning', 'Good evening')).toEqual([
      'Good morning!',
      'Good evening',
    ])
  })

  test('that stand in a better text are left out', () => {
    expect(distinct('The ferry leaves at nine, from pier two.', 'the ferry leaves at nine')).toHaveLength(1)
  })

  test('that only begin like a short text stay', () => {
    expect(distinct('The ferry', 'The ferry leaves at nine from pier two')).toHaveLength(2)
  })

  test('are no words that merely begin alike', () => {
    expect(distinct('we met Annabel in May', 'met Anna')).toHaveLength(2)
  })
})
