import { expect, test } from 'vitest'
import type { Prompt } from '../../src/event/prompt.ts'
import { createBranch } from '../../src/context/fork.ts'
import { makeBranchId } from '../../src/event/id.ts'
import { seededRandom } from '../../src/base/random.ts'
import { gate, type Said } from './doubles.ts'
import { askedFor, doneOf, file, jobStage, MINUTE, type JobStage } from './job-rig.ts'
import { expectLawful } from './lawful.ts'

/** A stage on which one job is due at 09:32 and by hand, and works until `held` opens; `most` at once. */
async function overlapping(path: string, text: string) {
  const held = gate()
  const count = { now: 0, most: 0 }
  const rule = async ({ messages }: Prompt): Promise<Said> => {
    if (!/^\[(?:routine|reminder)/.test(messages.at(-1)?.text ?? '')) return { text: 'Done.' }
    count.most = Math.max(count.most, ++count.now)
    await held.opened
    count.now--
    return { text: 'Done.' }
  }
  let at: JobStage | undefined
  const jobIn = () => {
    const [job] = at?.shelf.jobs() ?? []
    if (job === undefined) throw new Error('there is no job')
    return askedFor(job)
  }
  at = await jobStage({ files: { [path]: text }, jobIn, rule })
  await at.say('hello')
  return { at, held, count }
}

test('[JOB3] a reminder that is done by hand is due when that is over', async () => {
  const text = file({ 'run-at': '2026-03-01T09:32', background: true })
  const { at, held, count } = await overlapping('reminders/x.md', text)
  await at.type('/run reminders/x.md')
  await at.clock.pass(3 * MINUTE)
  expect(await doneOf(at)).toEqual([])
  held.open()
  await at.settle()
  await at.pass(2 * MINUTE)
  expect(await doneOf(at)).toEqual(['reminder x 03-01 08:32 late'])
  expect(count.most).toBe(1)
  await expectLawful(at)
})

test('[JOB3] a routine that works in main is not started by hand, and can be when that is over', async () => {
  const { at, held, count } = await overlapping('routines/x.md', file({ cron: '32 9 * * *' }))
  await at.clock.pass(3 * MINUTE)
  await at.scheduler.settled()
  await at.type('/run routines/x.md')
  await at.clock.pass(MINUTE)
  expect(at.sent.at(-1)?.text).toBe(
    'The routine x is being done in the main session, and a job never overlaps itself. Try again when that is over.',
  )
  held.open()
  await at.settle()
  await at.say('/run routines/x.md')
  expect(at.sent.some(({ text }) => text.startsWith('Started routine x as '))).toBe(true)
  expect(count.most).toBe(1)
})

test('[JOB3] a job that becomes one of the background while it works in main waits for that', async () => {
  const { at, held, count } = await overlapping('routines/x.md', file({ cron: '*/2 * * * *' }))
  await at.clock.pass(3 * MINUTE)
  await at.scheduler.settled()
  await at.shelf.put('routines/x.md', file({ cron: '*/2 * * * *', background: true }))
  at.scheduler.look()
  await at.scheduler.settled()
  await at.clock.pass(2 * MINUTE)
  await at.scheduler.settled()
  expect((await doneOf(at)).at(-1)).toBe('routine x 03-01 08:34 running')
  held.open()
  await at.settle()
  expect(count.most).toBe(1)
  expect(at.failures).toEqual([])
})

test('[JOB3] a job of somebody else is not started by hand while it works for them', async () => {
  const text = file({ cron: '32 9 * * *', background: true, for: 'ana' })
  const { at, held, count } = await overlapping('routines/x.md', text)
  const time = at.clock.now()
  await at.log.write((writing) => {
    const second = makeBranchId(time, seededRandom(99))
    const author = { by: 'person' } as const
    writing.append(createBranch({ child: second, mode: 'main', title: null, at: time, author }).draft)
    const person = {
      from: 'person',
      channel: 'terminal',
      conversation: 'other',
      person: 'ana',
      key: null,
    } as const
    const said = { source: person, form: 'note', text: 'I am here.' } as const
    writing.append({ kind: 'inbound-admitted', branch: second, at: time, v: 1, ...said })
  })
  await at.clock.pass(3 * MINUTE)
  await at.scheduler.settled()
  await at.type('/run routines/x.md')
  await at.clock.pass(MINUTE)
  expect(at.sent.at(-1)?.text).toMatch(/^The routine x is running as \w+, and a job never overlaps itself/)
  held.open()
  await at.settle()
  expect(count.most).toBe(1)
})
