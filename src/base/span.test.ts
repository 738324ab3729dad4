import { readDuration } from './span.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const MINUTE = 60_000

test.each([
  ['2h', 120 * MINUTE],
  ['30m', 30 * MINUTE],
  ['90 min', 90 * MINUTE],
  [' 1D ', 1_440 * MINUTE],
  ['1 h 30 min', 90 * MINUTE],
  ['1h30m', 90 * MINUTE],
  ['1 hour, 30 minutes', 90 * MINUTE],
  ['1 hour and 30 minutes', 90 * MINUTE],
  ['1.5 hours', 90 * MINUTE],
  ['an hour and a half', 90 * MINUTE],
  ['45s', 45_000],
  ['2 weeks', 14 * 1_440 * MINUTE],
])('%s lasts %d ms', (text, ms) => {
  expect(readDuration(text)).toBe(ms)
})

test.each(['', '2', 'h', '0m', '-2h', '2x', '2h and', 'h2', '1..5h', '3 months', '2h '.repeat(40)])(
  '%j is no duration',
  (text) => {
    expect(readDuration(text)).toBe(undefined)
  },
)

test('any text has an answer: a positive whole number or none', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\dhms ,.and]{0,80}$/)), (text) => {
      const ms = readDuration(text)
      expect(ms === undefined || (Number.isSafeInteger(ms) && ms > 0)).toBe(true)
    }),
  )
})
