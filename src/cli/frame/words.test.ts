import { expect, test } from 'vitest'
import { nearest } from '../../base/nearest.ts'
import { oneLine, shorten, widthOf } from '../../base/width.ts'
import { meantWord } from './meant-word.ts'
import { bytesText, parseTime } from './words.ts'
import { counted, ageText } from '../../base/words.ts'

test.each([
  ['2h', 7_200_000],
  ['30m', 1_800_000],
  ['3d', 259_200_000],
  ['45s', 45_000],
  ['1w', 604_800_000],
])('%s is so long ago', (text, ms) => expect(parseTime(text, 1e12)).toBe(1e12 - ms))

test.each(['2025-11-15T08:30Z', '2025-11-15T08:30:00.000+00:00', '2025-11-15 08:30Z'])(
  '%s is that moment',
  (text) => expect(parseTime(text, 0)).toBe(Date.UTC(2025, 10, 15, 8, 30)),
)

test('the 29th of February is a day in some years', () =>
  expect(parseTime('2024-02-29T10:00Z', 0)).toBe(Date.UTC(2024, 1, 29, 10)))

test('a date alone is the beginning of the day here', () =>
  expect(parseTime('2025-11-15', 0)).toBe(new Date(2025, 10, 15).getTime()))

test.each([
  '',
  '2',
  'h',
  '2x',
  'yesterday',
  '2025-13-45',
  '2025-02-31',
  '2025-02-29T10:00Z',
  '2025',
  '-2h',
  '1e3d',
])('%j is no time', (text) => expect(parseTime(text, 0)).toBeUndefined())

test.each([
  [0, '0 s'],
  [59_000, '59 s'],
  [60_000, '1 min'],
  [3_600_000, '1 h'],
  [47 * 3_600_000, '47 h'],
  [48 * 3_600_000, '2 days'],
])('an age of %i ms', (ms, text) => expect(ageText(ms)).toBe(text))

test.each([
  [999, '999 bytes'],
  [1_000, '1.0 kB'],
  [999_600, '1.0 MB'],
  [12_345_678, '12 MB'],
])('%i bytes', (bytes, text) => expect(bytesText(bytes)).toBe(text))

test('one of a thing is not many', () => {
  expect(counted(1, 'branch', 'branches')).toBe('1 branch')
  expect(counted(1_234, 'event')).toBe('1,234 events')
})

test.each([
  ['lgo', 'log'],
  ['exprot', 'export'],
  ['imp', 'import'],
  ['zzzzzz', undefined],
])('who writes %s means %s', (word, meant) =>
  expect(nearest(word, ['log', 'export', 'import', 'doctor'])).toBe(meant),
)

test.each([
  ['lgo', 'log'],
  ['lo', 'log'],
  ['logs', 'log'],
  ['hlep', 'help'],
  ['exprot', 'export'],
  ['foo', undefined],
  ['hero', undefined],
])('of the commands, who writes %s means %s: a short one is suggested only for one slip', (word, meant) =>
  expect(meantWord(word, ['log', 'help', 'export', 'import', 'doctor'])).toBe(meant),
)

test('text is shortened by columns, and no sign is cut in two', () => {
  expect(widthOf('电车🚋')).toBe(6)
  expect(shorten('电车电车', 6)).toBe('电车…')
  expect(shorten('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3)).toBe('👩‍👩‍👧‍👦…')
  expect(shorten('short', 5)).toBe('short')
  expect(shorten('a'.repeat(1_000_000), 5)).toBe('aaaa…')
})

test('a text of many lines becomes one, and its control characters are seen', () =>
  expect(oneLine(' a\n\tb\u001B[2Jc\u202E ')).toBe('a b�[2Jc�'))
