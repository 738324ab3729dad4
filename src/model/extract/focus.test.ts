import { describe, expect, test } from 'vitest'
import type { Spoken } from './entry.ts'
import { extractSummary } from './extract.ts'
import { focusOf, nearness } from './focus.ts'

const user = (text: string): Spoken => ({ who: 'user', text })
const assistant = (text: string): Spoken => ({ who: 'assistant', text })
/** Covered, but never quoted: without it, so few words leave no room for headings. */
const results: Spoken = { who: 'tool', text: '{"row":1},'.repeat(200) }

/** More than one summary of 200 tokens can hold. */
const crowd = Array.from({ length: 60 }, (_, index) => user(`Plot ${index} belongs to Mr Smith${index}`))

function focused(focus: string, ...messages: readonly Spoken[]): string {
  return extractSummary({ previous: null, messages: [results, ...messages], tokensMax: 200, focus })
}

describe('the focus is kept before other things', () => {
  test.each([
    ['a word in another number', 'hedgehogs', 'the hedgehog house stands behind the shed'],
    ['a word in another case', 'HEDGEHOG', 'the hedgehog house stands behind the shed'],
    ['another ending', 'parties', 'the party was dull, said aunt'],
    ['another form', 'allergy', 'cats made him allergic, poor boy'],
    ['a doubled letter', 'running', 'to run alone is dull'],
    ['a number', '4758', 'the man said 4758 was dull'],
    ['a noun and a number', 'invoice 4758', 'that invoice 4758 was dull'],
    ['a number within a code', '4758', 'that INV-4758 was dull'],
    ['a number with a separator', '1800', 'it was 1,800 once'],
    ['a year', '2026', 'the summer of 2026 was dull'],
    ['a time', '3pm', 'they came at 3 pm, dull'],
    ['a name', 'inês', 'then there was Inês with cake'],
    ['a short name', 'Bo', 'then there was Bo with cake'],
    ['a phrase', 'everything about the garden shed', 'the garden shed was dull'],
    ['a word that every sentence has', 'the old one', 'that was an old one'],
    ['German', 'Rechnungen', 'die Rechnung war langweilig'],
    ['Chinese', '刺猬', '院子里有刺猬'],
  ])('%s', (_, focus, told) => {
    expect(focused('', user(told), ...crowd)).not.toContain(told)
    expect(focused(focus, user(told), ...crowd)).toContain(told)
  })

  test('a line that tells all of it comes before those that tell a word of it', () => {
    const invoices = Array.from({ length: 60 }, (_, index) =>
      user(`Invoice ${4700 + index} went to Mr Smith${index}`),
    )
    expect(focused('', ...invoices)).not.toContain('Invoice 4703')
    expect(focused('invoice 4703', ...invoices)).toContain('Invoice 4703 went to Mr Smith3')
  })

  test('a message is read closely for it among thousands', () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      user(`We decided on 3${index} euros for Tom${index}`),
    )
    expect(focused('hedgehog', user('a hedgehog came by'), ...many)).toContain('a hedgehog came by')
  })

  test('a part of a long sentence that is left out otherwise is told', () => {
    const long = `The kitchen will be done by Brandl for 11,400 euros on 9 May with ${'the oak boards, '.repeat(12)}and the hedgehog stays outside`
    expect(focused('', user(long))).not.toContain('hedgehog')
    expect(focused('hedgehog', user(long))).toContain('hedgehog')
  })

  test('a line of an earlier summary is found by it', () => {
    const previous = '### People and facts\n- user 3 May: a hedgehog came by'
    const asked = { previous, messages: crowd, tokensMax: 200 }
    expect(extractSummary(asked)).not.toContain('hedgehog')
    expect(extractSummary({ ...asked, focus: 'hedgehogs' })).toContain('a hedgehog came by')
  })
})

describe('what the focus is about is not merged away', () => {
  test('of two lines that tell nearly the same, the one that is asked for stays', () => {
    const said = [
      user('We decided to sell the house in Graz with the walnut tree'),
      assistant('You decided to sell the house in Graz with the walnut tree and the tiny sauna.'),
    ]
    expect(focused('', ...said)).not.toContain('sauna')
    expect(focused('sauna', ...said)).toContain('sauna')
  })

  test('of two such lines that tell one part of it each, both stay', () => {
    const house = 'We decided to sell the house in Graz with the walnut tree by the river'
    const said = [user(`${house} and a sauna`), user(`${house} and a pond`)]
    expect(focused('', ...said)).not.toContain('pond')
    expect(focused('sauna, pond', ...said)).toMatch(/sauna\n.*pond/)
  })

  test('a superseded line is told together with what superseded it', () => {
    const said = [
      user('The dinner with the Hoffmanns starts at 7 pm at the Rialto'),
      user('The dinner with the Hoffmanns was moved to 8 pm'),
    ]
    expect(focused('', ...said)).not.toContain('Rialto')
    expect(focused('rialto', ...said)).toContain(
      '- user: The dinner with the Hoffmanns starts at 7 pm at the Rialto → The dinner with the Hoffmanns was moved to 8 pm',
    )
  })

  test('a promise that was kept stays beside the line that tells so', () => {
    const said = [
      user('I promised to pay my brother Felix back the 600 euros for the canoe'),
      user('Felix is paid, my brother has it all'),
    ]
    expect(focused('', ...said)).not.toContain('canoe')
    expect(focused('canoe', ...said)).toMatch(/Felix is paid[^]*canoe/)
  })

  test('a line told with what came of it stays so when it is folded in again', () => {
    const said = [user('The dinner starts at 7 pm at the Rialto'), user('The dinner was moved to 8 pm')]
    const previous = focused('rialto', ...said)
    expect(extractSummary({ previous, messages: [], tokensMax: 200 })).toBe(previous)
  })
})

test('a number is no part of a longer one', () => {
  expect(nearness(focusOf('475'), 'invoice 4758')).toEqual(new Set())
  expect(nearness(focusOf('4758'), 'invoices 4758 and 4759')).toEqual(new Set(['4758']))
})

test('a wish without words of its own is about those that it has', () =>
  expect(focusOf('keep all about it').map(({ word }) => word)).toEqual(['keep', 'all', 'about', 'it']))

test('no focus raises nothing', () => expect(nearness(focusOf('  '), 'anything')).toEqual(new Set()))
