import fc from 'fast-check'
import { expect, test } from 'vitest'
import { widthOf } from '../../../base/width.ts'
import { cut, unpainted, wrap } from './wrap.ts'

const wrapped = (text: string, columns: number): string[] =>
  wrap([{ text, paint: unpainted }], columns).map((line) => line.text)

const loud = (text: string): string => (text === '' ? '' : `<${text}>`)
const signs = (text: string): string => text.replaceAll(/\s/g, '')

test.each([
  ['one two three', 7, ['one two', 'three']],
  ['one two three', 8, ['one two', 'three']],
  ['a bcde f', 6, ['a bcde', 'f']],
  ['abcdefgh', 3, ['abc', 'def', 'gh']],
  ['x abcdefgh', 4, ['x', 'abcd', 'efgh']],
  ['电车很快', 5, ['电车', '很快']],
  ['ab 电车', 5, ['ab 电', '车']],
  ['a\n\nb', 9, ['a', '', 'b']],
  ['  indented', 20, ['  indented']],
  ['', 9, ['']],
])('%j in %i columns', (text, columns, lines) => expect(wrapped(text, columns)).toEqual(lines))

test('a sign that is wider than the line is left out, and that is seen', () =>
  expect(wrapped('a🚋b', 1)).toEqual(['a', '…', 'b']))

test('each look is opened and closed on its own line', () => {
  const spans = [
    { text: 'one ', paint: unpainted },
    { text: 'two three', paint: loud },
  ]
  expect(wrap(spans, 8).map(({ text }) => text)).toEqual(['one <two>', '<three>'])
})

test('no line is wider than asked, says its width truly, and no word is lost', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 40 }), (text, columns) => {
      for (const lines of [
        wrap([{ text, paint: unpainted }], columns),
        cut([{ text, paint: unpainted }], columns),
      ]) {
        for (const line of lines) expect(line.width).toBe(widthOf(line.text))
        expect(Math.max(...lines.map(({ width }) => width))).toBeLessThanOrEqual(columns)
      }
      if (/^[ -~]*$/.test(text)) expect(signs(wrapped(text, columns).join(''))).toBe(signs(text))
    }),
  ))
