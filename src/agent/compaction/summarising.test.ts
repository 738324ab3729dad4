import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../base/tokens.ts'
import { shortened, wholeSentences, withoutMiddle } from './summarising.ts'

describe('a text that is longer than allowed', () => {
  test.each([
    ['The code is 4711. The door is red. Call Ana.', 'The code is 4711. The door is red.'],
    [
      'Pay 3.50 euros to Ana. Pay 12.75 euros to Ben. Pay 9.99 to Cy.',
      'Pay 3.50 euros to Ana. Pay 12.75 euros to Ben.',
    ],
    [
      '- Ana: the tickets\n- Ben: the hotel in Lisbon\n- Cy: nothing at all yet',
      '- Ana: the tickets\n- Ben: the hotel in Lisbon',
    ],
    ['1. Ana has the tickets.\n2. Ben pays the hotel.', '1. Ana has the tickets.'],
    ['門は赤い。鍵は四七一一。明日アナに電話する。', '門は赤い。鍵は四七一一。'],
    ['He said "never!" She agreed. They left at once.', 'He said "never!" She agreed.'],
  ])('is cut behind a sentence or a line: %j', (text, kept) => {
    expect(shortened(text, estimateTokens(text) - 1)).toBe(kept)
  })

  test('is cut anywhere where it is one sentence', () => {
    const text = shortened('word '.repeat(500), 20)
    expect(text).toMatch(/^(?:word )+word…$/)
    expect(estimateTokens(text)).toBeLessThanOrEqual(20)
  })

  test('is never longer than allowed, begins as it began, and is not empty', () => {
    const part = fc.constantFrom('word', ' ', '. ', '! ', '\n', '3.5', '1. ', '。', '😀', '"', 'Straße', '…')
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 80 }),
        fc.integer({ min: 2, max: 30 }),
        (parts, max) => {
          const text = parts.join('').trim()
          fc.pre(text !== '')
          const short = shortened(text, max)
          expect(estimateTokens(short)).toBeLessThanOrEqual(Math.max(max, estimateTokens('…') + 1))
          expect(text.startsWith(short.replace(/…$/, '').trimEnd())).toBe(true)
          expect(short).not.toBe('')
          expect(short.isWellFormed()).toBe(true)
        },
      ),
    )
  })
})

test('what was cut off in the middle of a sentence is left out, unless there is nothing else', () => {
  expect(wholeSentences('The code is 4711. The price is 3.5')).toBe('The code is 4711.')
  expect(wholeSentences('All is said.')).toBe('All is said.')
  expect(wholeSentences('- Ana\n- Be')).toBe('- Ana\n')
  expect(wholeSentences('The price is')).toBe('The price is')
})

test('of a text that is too long to be read the beginning and the end are kept', () => {
  const text = `${'a '.repeat(1_000)}middle ${'z '.repeat(1_000)}`
  const short = withoutMiddle(text, 100)
  expect(short).toMatch(/^(?:a )+\n\(\d+ characters left out\)\n(?:z )+$/)
  expect(estimateTokens(short)).toBeLessThanOrEqual(115)
  expect(withoutMiddle('😀'.repeat(1_001), 50).isWellFormed()).toBe(true)
})
