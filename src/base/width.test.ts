import fc from 'fast-check'
import { expect, test } from 'vitest'
import { padTo, shorten, signsOf, widthOf } from './width.ts'

test.each([
  ['a', 1],
  ['é', 1],
  ['e\u0301', 1],
  ['电', 2],
  ['한', 2],
  ['ﾊﾟ', 2],
  ['का', 2],
  ['⚠', 1],
  ['⚠️', 2],
  ['1️⃣', 2],
  ['🇩🇪', 2],
  ['👩‍👩‍👧‍👦', 2],
  ['\u200B', 0],
  ['│', 1],
  ['⠋', 1],
])('%s takes %i columns', (text, width) => {
  expect(widthOf(text)).toBe(width)
  expect(signsOf(text)).toHaveLength(1)
})

test('signs make up the text, and their widths its width', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const signs = signsOf(text)
      expect(signs.map((sign) => sign.text).join('')).toBe(text)
      expect(signs.reduce((sum, { width }) => sum + width, 0)).toBe(widthOf(text))
    }),
  ))

test('what is shortened fits, what is padded fills', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, columns) => {
      const short = shorten(text, columns)
      expect(widthOf(short)).toBeLessThanOrEqual(columns)
      if (widthOf(text) <= columns) expect(short).toBe(text)
      expect(widthOf(padTo(short, columns))).toBe(columns)
    }),
  ))
