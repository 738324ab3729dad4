import { expect, test } from 'vitest'
import { play } from '../../../test/agent/doubles.ts'
import { breathe } from '../../../test/agent/stage.ts'
import type { StepInput } from '../../model/scripted.ts'
import { Progress } from './progress.ts'
import { statusOf } from './status-line.ts'

test('a status tells how often a model was tried, when it is next, and how many messages are queued', async () => {
  const fault: StepInput = { error: { reason: 'rate-limited', message: 'too many requests' } }
  const at = await play(Array.from({ length: 40 }, () => fault))
  const look = async () => {
    const branch = await at.branch()
    const { settings } = at
    const waiting = { now: at.clock.now(), branch, settings, tokensMax: 1_000, busy: [] }
    return at.read((reader) => statusOf(reader, { ...waiting, turns: new Set(), since: 0 } as never).retry)
  }
  expect(await look()).toBeUndefined()
  await at.type('one')
  await at.clock.pass(14_000)
  await at.settle()
  expect(await look()).toMatchObject({ tries: 1, waiting: 0 })
  await at.type('two')
  await at.settle()
  expect(await look()).toMatchObject({ tries: 1, waiting: 1 })
  await at.clock.pass(16_000)
  await at.settle()
  expect((await look())?.tries).toBeGreaterThan(1)
})

test('a status says why a call is tried again, from the first failure until the model speaks', async () => {
  const fault: StepInput = { error: { reason: 'rate-limited', message: 'too many requests' } }
  const at = await play([fault, fault, { reply: { text: 'At last.' } }])
  const progress = new Progress()
  at.agent.watch(progress.hear)
  const look = async () => {
    const branch = await at.branch()
    const { retry } = progress.in(branch) ?? {}
    const waiting = { now: at.clock.now(), branch, settings: at.settings, tokensMax: 1_000, busy: [] }
    const status = { ...waiting, retry, turns: new Set(), since: 0 } as never
    return at.read((reader) => statusOf(reader, status).retry)
  }
  await at.type('one')
  await breathe()
  expect(await look()).toMatchObject({ tries: 1, why: 'too many requests' })
  await at.clock.pass(10_000)
  await at.settle()
  expect(await look()).toBeUndefined()
})
