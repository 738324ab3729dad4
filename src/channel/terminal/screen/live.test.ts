import { expect, test } from 'vitest'
import { interruptNow } from '../input/prompt.ts'
import { styleFor } from '../../../base/style.ts'
import { Answers } from './answers.ts'
import { type Live, liveAfter } from './live.ts'
import type { Entry, ScreenHappening, Status } from '../port.ts'

const status: Status = {
  branch: 'main',
  mode: 'main',
  model: 'offline',
  tokens: 0,
  tokensMax: 0,
  unreadMail: 0,
  approvals: 0,
  updates: 0,
  openFork: null,
  permissions: 'dontAsk',
  costToday: null,
  running: 0,
}
const idle: Live = { status, turn: null, calls: [], commands: [] }
const after = (happenings: readonly ScreenHappening[]): Live => happenings.reduce(liveAfter, idle)
const answerOf = (branch: string): ScreenHappening => ({
  kind: 'entry',
  entry: { kind: 'answer', text: 'a', at: 0, branch },
})
const started = (name: string, summary: string): ScreenHappening => ({ kind: 'call-started', name, summary })
const done = (name: string, summary: string): ScreenHappening => ({
  kind: 'entry',
  entry: { kind: 'tool', name, summary, isError: false } satisfies Entry,
})

test('an answer of the branch shown here replaces the pieces, one of another does not', () => {
  const look = { style: styleFor('plain'), colour: 'plain', columns: 60 } as const
  const answers = new Answers(
    () => look,
    () => undefined,
  )
  answers.hear({ kind: 'piece', text: 'a' }, 'main')
  answers.hear(answerOf('k3f9x2'), 'main')
  expect(answers.last(5).lines).toHaveLength(1)
  answers.hear(answerOf('main'), 'main')
  expect(answers.last(5).lines).toEqual([])
})

test('a result ends the call it begins with', () =>
  expect(after([started('web', 'a'), started('web', 'b'), done('web', 'b → ok')]).calls).toEqual([
    { name: 'web', summary: 'a' },
  ]))

test('a result that begins with none ends the oldest call of that name', () =>
  expect(after([started('web', 'a'), started('web', 'b'), done('web', 'failed')]).calls).toEqual([
    { name: 'web', summary: 'b' },
  ]))

test('the end of a turn ends its calls', () =>
  expect(after([{ kind: 'turn-started', at: 5 }, started('web', 'a'), { kind: 'turn-ended' }])).toEqual(idle))

test.each([
  ['stop', { isTurnRunning: true, isTextEmpty: false, warnedAt: null, now: 0 }],
  ['clear', { isTurnRunning: false, isTextEmpty: false, warnedAt: null, now: 0 }],
  ['warn', { isTurnRunning: false, isTextEmpty: true, warnedAt: null, now: 0 }],
  ['leave', { isTurnRunning: false, isTextEmpty: true, warnedAt: 1_000, now: 3_000 }],
  ['warn', { isTurnRunning: false, isTextEmpty: true, warnedAt: 1_000, now: 3_001 }],
])('Ctrl-C means %s in %o', (meaning, state) => expect(interruptNow(state)).toBe(meaning))

test('what runs in a branch is not shown in the one that the person moves to', () => {
  const moved: ScreenHappening = {
    kind: 'status',
    status: { ...status, branch: 'k3f9x2' },
    movedBy: 'person',
  }
  const live = after([{ kind: 'turn-started', at: 5 }, started('web', 'a'), moved])
  expect({ turn: live.turn, calls: live.calls }).toEqual({ turn: null, calls: [] })
  const same: ScreenHappening = { kind: 'status', status: { ...status, tokens: 5 } }
  expect(after([{ kind: 'turn-started', at: 5 }, started('web', 'a'), same]).calls).toHaveLength(1)
})
