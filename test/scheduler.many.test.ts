import { expect, test } from 'vitest'
import { doneOf, file, HOUR, jobStage, MINUTE } from './agent/job-rig.ts'
import { expectEmpty } from './agent/lawful.ts'
import { breathe } from './agent/stage.ts'
import { isWholeRun } from './rounds.ts'

const COUNT = isWholeRun ? 1_000 : 100

function many(count: number): Record<string, string> {
  // Each may ping, and is told of all others.
  const text = file({ cron: '0 10 * * *', background: true, isolated: true })
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`routines/r${index}.md`, text]))
}

test('[JOB3] many routines that are due in the same minute all run, once each, four at a time', async () => {
  let [running, most] = [0, 0]
  const at = await jobStage({
    files: many(COUNT),
    rule: async () => {
      most = Math.max(most, ++running)
      await breathe()
      running--
      return { text: 'Done.' }
    },
  })
  await at.pass(31 * MINUTE)
  expect(new Set(await doneOf(at)).size).toBe(COUNT)
  expect(await at.events('job-fired')).toHaveLength(COUNT)
  expect(await at.events('job-skipped')).toEqual([])
  expect((await at.events('branch-ended')).filter(({ reason }) => reason === 'finished')).toHaveLength(COUNT)
  expect(most).toBe(4)
  await at.pass(22 * HOUR)
  expect(await at.events('job-fired')).toHaveLength(COUNT)
  await expectEmpty(at.log)
})

test('a person is heard while a thousand routines are started', async () => {
  const at = await jobStage({ files: many(1_000) })
  await at.say('hello')
  await at.clock.pass(30 * MINUTE)
  const before = (await at.events('job-fired')).length
  await at.type('are you there?')
  while (at.sent.at(-1)?.form !== 'answer' || at.sent.length < 2) await new Promise(setImmediate)
  const fired = (await at.events('job-fired')).length
  expect(before).toBeLessThan(1_000)
  expect(fired).toBeLessThan(1_000)
  await at.settle()
})
