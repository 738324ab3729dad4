import { describe, expect, test } from 'vitest'
import type { BranchId, Position } from '../../event/id.ts'
import { endsAt, modelFor, owedReport, runName, thinkingFor, type Run } from './run.ts'

const run: Run = {
  kind: 'run-started',
  branch: 'br_1kjm89ht00djqhn' as BranchId,
  position: 5 as Position,
  at: 0,
  v: 1,
  job: 'brief',
  tag: 'routine-bg',
  file: null,
  isolated: false,
  model: null,
  thinking: 'off',
  reporting: 'on_ping',
  allowPing: true,
  tools: [],
  skills: [],
  timeoutMs: 60_000,
  setup: null,
  author: { by: 'policy', name: 'schedule' },
  begunAt: 1_000,
  pinged: null,
  reported: null,
  pings: 0,
  sentBack: 0,
  isResting: false,
}
const at = (position: number) => position as Position

describe('[RUN2] what a run owes', () => {
  test.each<[string, Partial<Run>, ReturnType<typeof owedReport>]>([
    ['nothing yet', {}, undefined],
    ['a ping', { pinged: at(7) }, 'pinged'],
    ['a ping, reported', { pinged: at(7), reported: at(8) }, undefined],
    ['a ping after its report', { pinged: at(9), reported: at(8) }, 'pinged'],
    ['always', { reporting: 'always' }, 'always'],
    ['always, reported', { reporting: 'always', reported: at(8) }, undefined],
    [
      'always, and a ping after its report',
      { reporting: 'always', pinged: at(9), reported: at(8) },
      'pinged',
    ],
    ['always, and never begun', { reporting: 'always', begunAt: null }, undefined],
    ['freely', { reporting: 'freely', pinged: at(7) }, undefined],
    ['blocked', { reporting: 'blocked', pinged: at(7) }, undefined],
  ])('%s', (_, more, owed) => expect(owedReport({ ...run, ...more })).toBe(owed))
})

test('the time of a run counts from its first turn', () => {
  expect(endsAt(run)).toBe(61_000)
  expect(endsAt({ ...run, begunAt: null })).toBeUndefined()
})

test('a run is called by its job', () => {
  expect(runName(run)).toBe('routine brief')
  expect(runName({ tag: 'webhook', job: 'ci' })).toBe('webhook ci')
})

const thinking = (mode: 'main' | 'fork' | 'background' | 'child', of: Run | null) =>
  thinkingFor({ mode, run: of }, { thinking: 512 })

test('a job may have a model of its own, and thinks as it says; others think for themselves', () => {
  expect([modelFor(null, { model: 'm' }), modelFor({ ...run, model: 'own' }, { model: 'm' })]).toEqual([
    'm',
    'own',
  ])
  expect(thinking('main', null)).toBe(512)
  expect(thinking('background', run)).toBe('off')
  for (const mode of ['fork', 'child'] as const) expect(thinking(mode, null)).toBe('adaptive')
})
