import { expect, test } from 'vitest'
import { isoIn } from '../base/time-text.ts'
import { nearest } from '../base/nearest.ts'
import { oneLine, shorten, widthOf } from '../base/width.ts'
import { meantWord } from '../cli/frame/meant-word.ts'
import { bytesText, counted, ageText } from '../base/words.ts'

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

test.each([
  ['Europe/Berlin', '2026-03-01T09:30:00.250+01:00'],
  ['America/St_Johns', '2026-03-01T05:00:00.250-03:30'],
  ['UTC', '2026-03-01T08:30:00.250+00:00'],
])('an instant in %s', (zone, text) => expect(isoIn(Date.parse('2026-03-01T08:30:00.250Z'), zone)).toBe(text))

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
