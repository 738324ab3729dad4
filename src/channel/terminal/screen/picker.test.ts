import { expect, test } from 'vitest'
import fc from 'fast-check'
import { styleFor } from '../../../base/style.ts'
import { widthOf } from '../../../base/width.ts'
import { type Picker, pickerLines, pickerSentences } from './picker.ts'

const picker: Picker = {
  title: 'May git_log run (skill git)? (approval 3)',
  about: 'src/context/list.ts since 2 weeks',
  labels: ['Once', 'Always: git_log', 'Deny'],
  picked: null,
  isCall: true,
  leftMs: 47_001,
  more: 0,
  isAside: false,
  keys: 'ready',
}
const lines = (more: Partial<Picker> = {}, columns = 80, rows = 20): string[] =>
  pickerLines({ ...picker, ...more }, { style: styleFor('plain'), colour: 'plain', columns }, rows)

test('it is what is asked with the time left, what about, the choices in a row, and the keys', () =>
  expect(lines()).toEqual([
    '? May git_log run (skill git)? (approval 3) · 48 s left',
    '  src/context/list.ts since 2 weeks',
    '  1 Once   2 Always: git_log   3 Deny',
    '  1 2 3 or y a n then Enter to answer · or type',
  ]))

test('a time of minutes is counted in minutes', () => {
  expect(lines({ leftMs: 599_000 })[0]).toContain('· 10 min left')
  expect(lines({ leftMs: 119_000 })[0]).toContain('· 119 s left')
})

test('the choice that Enter would take stands in brackets, and nothing else moves', () => {
  expect(lines({ picked: 1 }).slice(-2)).toEqual([
    '  1 Once  [2 Always: git_log]  3 Deny',
    '  Enter to confirm · Esc to go back',
  ])
  expect(lines({ picked: 2 }).at(-2)).toBe('  1 Once   2 Always: git_log  [3 Deny]')
  expect(lines({ picked: 0, about: null }, 24)).toEqual([
    '? May git_l… · 48 s left',
    ' [1 Once]',
    '  2 Always: git_log',
    '  3 Deny',
    '  Enter to confirm',
    '  Esc to go back',
  ])
})

test('where there are few rows the keys give way, then what it is about', () => {
  expect(lines({}, 80, 3)).toEqual([
    '? May git_log run (skill git)? (approval 3) · 48 s left',
    '  src/context/list.ts since 2 weeks',
    '  1 Once   2 Always: git_log   3 Deny',
  ])
  expect(lines({}, 80, 2)).toEqual([
    '? May git_log run (skill git)? (approval 3) · 48 s left',
    '  1 Once   2 Always: git_log   3 Deny',
  ])
})

test('where there is no room for a row, each choice has one; the time and the number of those that wait stay', () =>
  expect(
    lines({ more: 2, labels: ['Once', 'Always: web_fetch(https://example.com/*)', 'Deny'] }, 40),
  ).toEqual([
    '? May git_log run (skill gi… · 48 s left',
    '  src/context/list.ts since 2 weeks',
    '  1 Once',
    '  2 Always: web_fetch(https://example.…',
    '  3 Deny',
    '  1 2 3 or y a n then Enter to answer',
    '  or type',
    '  2 more waiting: /approvals',
  ]))

test.each<[string, Partial<Picker>, string]>([
  [
    'that waits for ever can be left for later',
    { leftMs: null, isCall: false },
    '  1 2 3 then Enter to answer · Esc for later',
  ],
  [
    'with others behind it says so',
    { more: 1 },
    '  1 2 3 or y a n then Enter to answer · or type · 1 more waiting: /approvals',
  ],
  ['that nobody can have read yet promises no key', { keys: 'early' }, '  …'],
  [
    'beside a text says what keeps digits from it',
    { keys: 'hindered' },
    '  1 2 3 answer once the input is empty',
  ],
])('a question %s', (_, more, hint) => expect(lines(more).at(-1)).toBe(hint))

test('what stands aside is one line, which says how to turn to it where that is so', () => {
  expect(lines({ isAside: true, leftMs: null })).toEqual([
    '? May git_log run (skill git)? (approval 3) · Tab to answer',
  ])
  expect(lines({ isAside: true, keys: 'hindered', more: 1 }, 100)).toEqual([
    '? May git_log run (skill git)? (approval 3) · 48 s left · 1 more waiting: /approvals',
  ])
})

test('for those who listen no second is counted', () =>
  expect(pickerSentences({ ...picker, more: 1, picked: 1 })).toEqual([
    'Question: May git_log run (skill git)? (approval 3)',
    'About: src/context/list.ts since 2 weeks',
    '1: Once',
    '2: Always: git_log (chosen)',
    '3: Deny',
    'Enter to confirm',
    'Esc to go back',
    '1 more waiting: /approvals',
  ]))

test('it never needs more columns than there are, if there are seven', () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 7, max: 120 }),
      fc.record({
        title: fc.string({ unit: 'grapheme-ascii' }),
        about: fc.option(fc.string({ unit: 'grapheme-ascii' })),
        picked: fc.option(fc.nat(3)),
        labels: fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), { minLength: 1, maxLength: 4 }),
        leftMs: fc.option(fc.nat(60_000)),
        more: fc.nat(20),
        isAside: fc.boolean(),
        keys: fc.constantFrom('ready', 'early', 'hindered'),
      }),
      (columns, any) => {
        for (const line of lines(any, columns)) expect(widthOf(line)).toBeLessThanOrEqual(columns)
      },
    ),
  ))
