import fc from 'fast-check'
import { parse, type ParseError } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { isJsonObject, type Json } from '../../base/json.ts'
import { withoutValue, withValue } from './edit.ts'
import { rounds } from '../../../test/rounds.ts'

test.each<[string, string, string]>([
  ['an empty object', '{}\n', '{\n  "c": 3\n}\n'],
  ['nothing', '', '{\n  "c": 3\n}\n'],
  ['comments only', '// mine', '// mine\n{\n  "c": 3\n}\n'],
  ['an object of comments', '{ // one\n  // two\n}\n', '{ // one\n  "c": 3\n  // two\n}\n'],
  ['an object on one line', '{ "a": 1 /* a */ }', '{ "a": 1, /* a */ "c": 3 }'],
  [
    'a note on the last line',
    '{\n  "a": 1, // a\n  "b": 2 // b\n}\n',
    '{\n  "a": 1, // a\n  "b": 2, // b\n  "c": 3\n}\n',
  ],
  ['a trailing comma', '{\n\t"a": 1, // a\n\n\t// end\n}\n', '{\n\t"a": 1, // a\n\t"c": 3,\n\n\t// end\n}\n'],
  ['a comma on its own line', '{\n  "a": 1\n  , // a\n}', '{\n  "a": 1\n  , // a\n  "c": 3,\n}'],
  ['lines of Windows', '{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "c": 3\r\n}\r\n'],
  ['the value itself', '{\n  "c": [1, 2], // c\n}', '{\n  "c": 3, // c\n}'],
])('a value is added to %s', (_, before, after) => expect(withValue(before, ['c'], 3)).toBe(after))

test.each<[string, string, string]>([
  ['an object of one name', '{\n  "x": 1\n}', '{\n  "x": 1,\n  "k": {\n    "c": 3\n  }\n}'],
  ['its group', '{\n  "k": {\n    "a": 1 // a\n  }\n}', '{\n  "k": {\n    "a": 1, // a\n    "c": 3\n  }\n}'],
  ['its empty group', '{\n  "k": {}\n}', '{\n  "k": {\n    "c": 3\n  }\n}'],
  ['what should be its group', '{\n  "k": 5 // k\n}', '{\n  "k": {\n    "c": 3\n  } // k\n}'],
])('a value of a group is added to %s', (_, before, after) =>
  expect(withValue(before, ['k', 'c'], 3)).toBe(after),
)

test('a value deeper inside makes the objects around it, each on lines of its own', () => {
  const made = '{\n  "k": {\n    "m": {\n      "c": { "a": ["x", "y"], "b": {} }\n    }\n  }\n}\n'
  expect(withValue('{}\n', ['k', 'm', 'c'], { a: ['x', 'y'], b: {} })).toBe(made)
})

test.each<[string, string, string]>([
  ['the first', '{\n  // a\n  "c": 1, // c\n  "b": 2\n}', '{\n  // a\n  // c\n  "b": 2\n}'],
  ['the last', '{\n  "a": 1, // a\n  "c": 2\n}', '{\n  "a": 1 // a\n}'],
  ['the last with a comma', '{\n  "a": 1, // a\n  "c": 2,\n}', '{\n  "a": 1, // a\n}'],
  ['the only one', '{\n  "c": [\n    1\n  ]\n}\n', '{\n}\n'],
  ['one on one line', '{ "a": 1, "c": 2 }', '{ "a": 1 }'],
  ['the first on one line', '{ "c": 2, "a": 1 }', '{ "a": 1 }'],
  ['one with a comma on the next line', '{\n  "c": 1 // c\n  , "a": 1\n}', '{\n  // c\n   "a": 1\n}'],
  ['none', '{ "a": 1 }', '{ "a": 1 }'],
])('a value is taken away: %s', (_, before, after) => expect(withoutValue(before, ['c'])).toBe(after))

const blank = fc.constantFrom('', ' ', '\n', '\n  ', '\r\n', '\t', ' // "c": 9,\n', ' /* { */ ', '\n// }\n')
/** Inside a property there are no comments here: what is replaced or taken away takes its own with it. */
const gap = fc.constantFrom('', ' ', '\n', '\t')
const value = fc.constantFrom('1', '"x // y"', 'null', '[1, 2]', '{ "n": 1 }', '"}"')
const properties = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'k'),
    value,
    blanks: fc.tuple(blank, gap, gap, blank),
  }),
  { selector: ({ name }) => name, maxLength: 4 },
)
/** Objects as people may write them: comments and blanks around every property. */
const written = fc
  .tuple(properties, blank, blank, fc.boolean())
  .map(([all, first, last, hasTrailingComma]) => {
    const inner = all.map(({ name, value, blanks: [a, b, c, d] }, index) => {
      const hasComma = index < all.length - 1 || hasTrailingComma
      return `${a}"${name}"${b}:${c}${value}${d}${hasComma ? ',' : ''}`
    })
    return `${first}{${inner.join('')}${last}}${last}`
  })

test('adding or taking away keeps every comment and every other value, however the file is written', () => {
  const path = fc.constantFrom(['c'], ['k', 'c'], ['k', 'n'], ['k', 'c', 'd'], ['k', 'n', 'c'])
  fc.assert(
    fc.property(written, path, (text, path) => {
      const before = valuesOf(text)
      const added = withValue(text, path, [7])
      expect(commentsOf(added)).toEqual(commentsOf(text))
      expect(valuesOf(added)).toEqual(put(before, path, [7]))
      const removed = withoutValue(added, path)
      expect(commentsOf(removed)).toEqual(commentsOf(text))
      expect(valuesOf(removed)).toEqual(put(before, path, undefined))
    }),
    { numRuns: rounds(3_000) },
  )
})

function valuesOf(text: string): Record<string, Json> {
  const errors: ParseError[] = []
  const values = parse(text, errors, { allowTrailingComma: true }) as Record<string, Json>
  expect({ text, errors }).toEqual({ text, errors: [] })
  return values
}

function commentsOf(text: string): string[] {
  return (
    text.match(/"(?:[^"\\]|\\.)*"|\/\/[^\r\n]*|\/\*.*?\*\//gs)?.filter((one) => one.startsWith('/')) ?? []
  )
}

/** What plain objects would hold. */
function put(
  values: Readonly<Record<string, Json>>,
  [head = '', ...tail]: readonly string[],
  json: Json | undefined,
): object {
  const group = isJsonObject(values[head]) ? values[head] : {}
  const inside = tail.length === 0 ? json : put(group, tail, json)
  return JSON.parse(JSON.stringify({ ...values, [head]: inside })) as object
}
