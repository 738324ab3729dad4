import fc from 'fast-check'
import { expect, test } from 'vitest'
import { styleFor } from '../../../base/style.ts'
import { widthOf } from '../../../base/width.ts'
import type { Status } from '../port.ts'
import { branchText, countText, statusLine, statusSentence } from './status-line.ts'

const status: Status = {
  branch: 'main',
  mode: 'main',
  model: 'anthropic/claude-opus-4-5',
  tokens: 3_200,
  tokensMax: 32_000,
  unreadMail: 2,
  approvals: 0,
  updates: 0,
  openFork: null,
  permissions: 'dontAsk',
  costToday: 0.125,
  running: 1,
}
const line = (columns: number, more: Partial<Status> = {}): string =>
  statusLine({ ...status, ...more }, styleFor('plain'), columns).text

test.each([
  [80, '▓░░░░░░░░░ 3.2k/32k · 2 unread · $0.13 today · 1 running'],
  [50, '▓░░░░░░░░░ 3.2k/32k · 2 unread · $0.13 · 1 run'],
  [40, '▓░░░ 3.2k/32k · 2 unread · $0.13 · 1 run'],
  [37, '3.2k/32k · 2 unread · $0.13 · 1 run'],
  [20, '3.2k/32k · 2 unread'],
])('in %i columns', (columns, text) => expect(line(columns)).toBe(text))

test.each([
  [{ tries: 3, seconds: 30, waiting: 2, why: null }, 'retry 3 · next in 30 s · 2 waiting'],
  [{ tries: 1, seconds: 1, waiting: 0, why: 'server error' }, 'retry 1 · server error · next in 1 s'],
  [{ tries: 2, seconds: 0, waiting: 0, why: 'no connection' }, 'retry 2 · no connection'],
])('a model that fails is seen, with the next try and what is queued: %o', (retry, text) =>
  expect(line(80, { retry, unreadMail: 0, costToday: null, running: 0 })).toBe(
    `▓░░░░░░░░░ 3.2k/32k · ${text}`,
  ),
)

test('what is nothing is not said', () =>
  expect(line(80, { unreadMail: 0, costToday: null, running: 0 })).toBe('▓░░░░░░░░░ 3.2k/32k'))

test.each([
  [80, 1, '▓░░░░░░░░░ 3.2k/32k · 2 unread · 1 approval · $0.13 today · 1 running'],
  [54, 2, '▓░░░ 3.2k/32k · 2 unread · 2 approvals · $0.13 · 1 run'],
  [30, 2, '3.2k/32k · 2 unread · 2 appr'],
])('in %i columns, with %i that wait for the person', (columns, approvals, text) =>
  expect(line(columns, { approvals })).toBe(text),
)

const elsewhere = { approvals: 1, updates: 3, openFork: '5jyt2v', running: 0, costToday: null }

test.each([
  [80, '▓░░░░░░░░░ 3.2k/32k · 2 unread · 1 approval · 3 updates · fork 5jyt2v open'],
  [70, '▓░░░ 3.2k/32k · 2 unread · 1 approval · 3 updates · fork 5jyt2v open'],
  [54, '3.2k/32k · 2 unread · 1 appr · 3 upd · fork 5jyt2v'],
  [40, '3.2k/32k · 2 unread · 1 appr · 3 upd'],
])('in %i columns, with updates that wait and a fork that is open', (columns, text) =>
  expect(line(columns, elsewhere)).toBe(text),
)

test('updates and an open fork are more important than money, and give way to approvals', () => {
  expect(line(60, { updates: 1, openFork: '5jyt2v' })).toBe(
    '3.2k/32k · 2 unread · 1 upd · fork 5jyt2v · $0.13 · 1 run',
  )
  expect(line(45, { updates: 1, openFork: '5jyt2v' })).toBe('3.2k/32k · 2 unread · 1 upd · fork 5jyt2v')
  expect(line(30, { updates: 1, openFork: '5jyt2v', approvals: 1 })).toBe('3.2k/32k · 2 unread · 1 appr')
})

test.each([
  [80, 'default', '▓░░░░░░░░░ 3.2k/32k · 2 unread · $0.13 today · 1 running · default'],
  [80, 'bypassPermissions', '▓░░░░░░░░░ 3.2k/32k · bypassPermissions · 2 unread · $0.13 today · 1 running'],
  [42, 'default', '3.2k/32k · 2 unread · $0.13 · 1 run'],
  [56, 'bypassPermissions', '3.2k/32k · bypassPermissions · 2 unread · $0.13 · 1 run'],
  [37, 'bypassPermissions', '3.2k/32k · bypass! · 2 unread · $0.13'],
  [21, 'bypassPermissions', '3.2k/32k · bypass!'],
] as const)('in %i columns, with %s', (columns, permissions, text) =>
  expect(line(columns, { permissions })).toBe(text),
)

const painted = (permissions: Status['permissions']): string =>
  statusLine({ ...status, permissions }, styleFor('colour'), 80).text

test('that everything runs is painted as a warning, another mode is not', () => {
  expect(painted('bypassPermissions')).toContain('\u001B[33mbypassPermissions\u001B[39m')
  expect(painted('acceptEdits')).toContain('\u001B[2macceptEdits\u001B[22m')
})

test('a context that is nearly full says so without colours too', () =>
  expect(line(80, { tokens: 26_400 })).toContain('▓▓▓▓▓▓▓▓░░ 26k/32k!'))

test('where no limit is known there is no bar', () => expect(line(80, { tokensMax: 0 })).toMatch(/^3\.2k ·/))

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1k'],
  [3_249, '3.2k'],
  [9_960, '10k'],
  [999_499, '999k'],
  [999_500, '1M'],
  [1_550_000, '1.6M'],
])('%i tokens', (count, text) => expect(countText(count)).toBe(text))

test('a little money is not none', () => {
  expect(line(80, { costToday: 0.001 })).toContain('<$0.01 today')
  expect(line(80, { costToday: 0 })).toContain('$0.00 today')
})

test('a fork is called one', () => {
  expect(branchText(status)).toBe('main')
  expect(branchText({ ...status, branch: 'k3f9x2', mode: 'fork' })).toBe('fork k3f9x2')
})

test('for those who listen it is a sentence', () =>
  expect(statusSentence({ ...status, approvals: 1, permissions: 'default' })).toBe(
    'main, anthropic/claude-opus-4-5, context 3.2k of 32k tokens, 2 unread, 1 approval, $0.13 today, 1 running, permissions default',
  ))

test('for those who listen it says which fork is open, and how many updates wait', () =>
  expect(statusSentence({ ...status, ...elsewhere })).toMatch(/, 1 approval, 3 updates, fork 5jyt2v open$/))

test('it never needs more columns than there are', () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 120 }),
      fc.record({
        tokens: fc.nat(),
        tokensMax: fc.nat(),
        unreadMail: fc.nat(),
        approvals: fc.nat(),
        updates: fc.nat(),
        openFork: fc.constantFrom(null, '5jyt2v'),
        running: fc.nat(),
        permissions: fc.constantFrom('dontAsk', 'acceptEdits', 'bypassPermissions'),
      }),
      (columns, numbers) => {
        const { text, width } = statusLine({ ...status, ...numbers }, styleFor('plain'), columns)
        expect(width).toBeLessThanOrEqual(columns)
        expect(widthOf(text)).toBe(width)
      },
    ),
  ))
