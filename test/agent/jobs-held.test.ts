import { describe, expect, test } from 'vitest'
import type { JobName } from '../../src/event/job.ts'
import { gate } from './doubles.ts'
import {
  askedFor,
  doneOf,
  file,
  HOUR,
  jobStage,
  MINUTE,
  restarted,
  SECOND,
  type JobStage,
} from './job-rig.ts'
import { memoryShelf } from './memory-shelf.ts'
import { expectLawful } from './lawful.ts'
import { START } from './stage.ts'

/** It is 09:30 in Berlin when a stage begins: the 1st of March, a Sunday. */
const quiet = { quietHours: { from: 22 * 60, to: 8 * 60 } }
const at = (time: string, more: Record<string, string | boolean> = {}): string =>
  file({ cron: `${time.slice(3)} ${time.slice(0, 2)} * * *`, ...more })

describe('[JOB3] quiet hours', () => {
  test('hold a routine of main until they end, once, whatever its catch-up is', async () => {
    const stage = await jobStage({
      settings: quiet,
      files: { 'routines/night.md': file({ cron: '0 1-5 * * *', 'catch-up': 'skip' }) },
    })
    await stage.pass(22 * HOUR)
    expect(await doneOf(stage)).toEqual([])
    await stage.pass(HOUR)
    expect(await doneOf(stage)).toEqual(['routine night 03-02 04:00 late'])
    expect((await stage.events('inbound-admitted')).at(-1)?.late).toBe(
      '[late: was scheduled for 5:00, running now]',
    )
  })

  test('hold it over a restart within them; what is missed after their end is missed', async () => {
    const files = { 'routines/night.md': file({ cron: '0 3 * * *' }) }
    const first = await jobStage({ settings: quiet, files })
    await first.pass(18 * HOUR)
    const second = await restarted(first, HOUR, { settings: quiet })
    await second.pass(4 * HOUR)
    expect(await doneOf(second)).toEqual(['routine night 03-02 02:00 late'])
    const third = await restarted(second, 25 * HOUR, { settings: quiet })
    expect((await doneOf(third)).at(-1)).toBe('routine night 03-03 02:00 missed')
  })

  test('hold neither reminders nor what works in the background', async () => {
    const stage = await jobStage({
      settings: quiet,
      files: {
        'routines/night.md': at('03:00', { background: true }),
        'reminders/pills.md': file({ 'run-at': '2026-03-02T04:00' }),
      },
    })
    await stage.pass(19 * HOUR)
    expect(await doneOf(stage)).toEqual(['routine night 03-02 02:00', 'reminder pills 03-02 03:00'])
  })
})

async function pause(stage: JobStage, one: JobName | null, until: number | null): Promise<void> {
  const branch = await stage.branch()
  const author = { by: 'person' } as const
  await stage.log.write((writing) =>
    writing.append({ kind: 'jobs-paused', branch, at: stage.clock.now(), v: 1, one, until, author }),
  )
  stage.agent.wake([])
}

async function resume(stage: JobStage, one: JobName | null): Promise<void> {
  const branch = await stage.branch()
  const author = { by: 'person' } as const
  await stage.log.write((writing) =>
    writing.append({ kind: 'jobs-resumed', branch, at: stage.clock.now(), v: 1, one, author }),
  )
  stage.agent.wake([])
}

describe('[JOB3] a pause', () => {
  test('of all lets nothing be fired; what was due is late when it ends, by its own time', async () => {
    const stage = await jobStage({
      files: {
        'routines/brief.md': at('10:00'),
        'routines/old.md': at('09:40', { 'catch-up': '30m' }),
        'reminders/pills.md': file({ 'run-at': '2026-03-01T10:10' }),
      },
    })
    await pause(stage, null, stage.clock.now() + HOUR)
    await stage.pass(59 * MINUTE)
    expect(await doneOf(stage)).toEqual([])
    await stage.pass(MINUTE)
    expect((await doneOf(stage)).toSorted()).toEqual([
      'reminder pills 03-01 09:10 late',
      'routine brief 03-01 09:00 late',
      'routine old 03-01 08:40 missed',
    ])
  })

  test('of one job lets others go on, and ends at once when somebody says so', async () => {
    const stage = await jobStage({ files: { 'routines/a.md': at('10:00'), 'routines/b.md': at('10:00') } })
    const name = { what: 'routine', job: 'a' } as const
    await pause(stage, name, null)
    await stage.pass(40 * MINUTE)
    expect(await doneOf(stage)).toEqual(['routine b 03-01 09:00'])
    await resume(stage, name)
    await stage.scheduler.settled()
    await stage.settle()
    expect((await doneOf(stage)).at(-1)).toBe('routine a 03-01 09:00 late')
  })
})

/** At 10:00 it is prepared, until somebody has done something else. */
async function meanwhile(act: (stage: JobStage) => Promise<void>): Promise<JobStage> {
  const [asked, free] = [gate(), gate()]
  const stage = await jobStage({
    files: { 'routines/brief.md': at('10:00', { background: true }) },
    jobFor: async (job) => {
      asked.open()
      await free.opened
      return askedFor(job)
    },
  })
  await stage.clock.pass(30 * MINUTE)
  await asked.opened
  await act(stage)
  free.open()
  await stage.look()
  return stage
}

describe('[JOB3] what changes while a job is being prepared', () => {
  test('counts: what is paused meanwhile is not fired', async () => {
    const stage = await meanwhile((one) => pause(one, null, null))
    expect(await doneOf(stage)).toEqual([])
    expect(await stage.events('run-started')).toEqual([])
  })

  test('counts: what is edited meanwhile is fired as it is now, or not at all', async () => {
    const stage = await meanwhile((one) =>
      one.shelf.put('routines/brief.md', at('10:01', { background: true })),
    )
    expect(await doneOf(stage)).toEqual([])
    await stage.pass(MINUTE)
    expect(await doneOf(stage)).toEqual(['routine brief 03-01 09:01'])
  })

  test('counts: what is gone meanwhile is not fired', async () => {
    const stage = await meanwhile(async (one) => void (await one.shelf.remove('routines/brief.md')))
    expect(await doneOf(stage)).toEqual([])
  })
})

describe('a job for somebody', () => {
  test('whom nobody knows: a routine is left out, a reminder waits, and the owner is told once', async () => {
    const stage = await jobStage({
      files: {
        'routines/ada.md': file({ cron: '0 * * * *', for: 'ada' }),
        'reminders/ada.md': file({ 'run-at': '2026-03-01T10:00', for: 'ada' }),
      },
    })
    await stage.say('hello')
    await stage.pass(2 * HOUR)
    expect(await doneOf(stage)).toEqual(['routine ada 03-01 09:00 nobody', 'routine ada 03-01 10:00 nobody'])
    const raised = await stage.events('notice-raised')
    expect(raised.map(({ person, cause }) => [person, cause])).toEqual([
      ['owner', 'nobody reminder ada'],
      ['owner', 'nobody routine ada'],
    ])
    expect(raised[0]?.text).toBe(
      'reminder ada is due for ada, who has never written here. It waits until they do; to change that, edit for: in reminders/ada.md.',
    )
    expect(stage.shelf.files.has('reminders/ada.md')).toBe(true)
  })
})

describe('[JOB2] a file that is wrong', () => {
  const good = { 'routines/good.md': at('10:00') }

  test('is told of once, with file, line and reason; others go on; and it may be mended', async () => {
    const bad = file({ cron: 'whenever' })
    const stage = await jobStage({ files: { ...good, 'routines/bad.md': bad } })
    await stage.say('hello')
    await stage.pass(HOUR)
    const first = await restarted(stage, HOUR)
    expect(await doneOf(first)).toEqual(['routine good 03-01 09:00'])
    const raised = await first.events('notice-raised')
    expect(raised).toMatchObject([{ person: 'owner', cause: 'definition routines/bad.md' }])
    expect(raised[0]?.text).toMatch(/^routines\/bad\.md, line 2: cron /)
    expect(stage.sent.filter(({ text }) => text.includes('routines/bad.md'))).toHaveLength(1)
    await first.put('routines/bad.md', at('12:00'))
    await first.pass(24 * HOUR)
    expect((await first.events('definition-judged')).map(({ problem }) => problem?.line ?? null)).toEqual([
      2,
      null,
    ])
    expect((await doneOf(first)).slice(1)).toEqual(['routine bad 03-01 11:00', 'routine good 03-02 09:00'])
  })

  test('for a while keeps what was known of its times', async () => {
    const stage = await jobStage({ files: good })
    await stage.put('routines/good.md', file({ cron: 'whenever' }))
    await stage.pass(31 * MINUTE)
    await stage.put('routines/good.md', good['routines/good.md'])
    expect(await doneOf(stage)).toEqual(['routine good 03-01 09:00 late'])
    expect(await stage.events('job-scheduled')).toHaveLength(1)
  })

  test('in what only its start finds is skipped and told; a reminder waits until it can be started', async () => {
    let isMended = false
    const stage = await jobStage({
      files: {
        'routines/good.md': at('10:00', { background: true }),
        'routines/bad.md': at('10:00', { background: true }),
        'routines/worse.md': at('10:00', { background: true }),
        'reminders/bad.md': file({ 'run-at': '2026-03-01T10:00', background: true }),
      },
      jobFor: async (job) => {
        if (job.file === 'routines/worse.md') throw new TypeError('nobody thought of this')
        if (job.definition.id === 'bad' && !isMended) return { problem: 'its model is gone.' }
        return askedFor(job)
      },
    })
    await stage.pass(HOUR)
    expect((await doneOf(stage)).toSorted()).toEqual([
      'routine bad 03-01 09:00 broken',
      'routine good 03-01 09:00',
      'routine worse 03-01 09:00 broken',
    ])
    const texts = (await stage.events('notice-raised')).map(({ text }) => text)
    expect(texts.toSorted()).toEqual([
      'reminder bad was not started: its model is gone.',
      'routine bad was not started: its model is gone.',
      'routine worse was not started: nobody thought of this.',
    ])
    isMended = true
    await stage.pass(2 * MINUTE)
    expect((await doneOf(stage)).at(-1)).toBe('reminder bad 03-01 09:00 late')
    await expectLawful(stage)
  })

  test('and is tried again once a minute at most, however often somebody looks', async () => {
    let tries = 0
    const reminder = file({ 'run-at': '2026-03-01T10:00', background: true })
    const stage = await jobStage({
      files: { 'reminders/bad.md': reminder, 'routines/good.md': at('10:00', { background: true }) },
      jobFor: async (job) => {
        if (job.definition.kind === 'routine') return askedFor(job)
        tries++
        return { problem: 'its model is gone.' }
      },
    })
    await stage.pass(30 * MINUTE)
    expect(tries).toBe(1)
    for (let count = 0; count < 5; count++) {
      await stage.clock.pass(11 * SECOND)
      await stage.look()
    }
    expect(tries).toBe(1)
    await stage.clock.pass(5 * SECOND)
    await stage.look()
    expect(tries).toBe(2)
    await stage.pass(30 * MINUTE)
    expect(tries).toBeGreaterThan(15)
    expect(tries).toBeLessThanOrEqual(33)
    expect((await stage.events('notice-raised')).map(({ cause }) => cause)).toEqual(['failure reminder bad'])
    const before = tries
    await stage.put('reminders/bad.md', reminder.replace('Look.', 'Look again.'))
    expect(tries).toBe(before + 1)
  })

  test('because no event can hold it harms no other of the same moment', async () => {
    const huge = 'x'.repeat(17 * 1024 * 1024)
    const shelf = memoryShelf({ now: () => START })
    await shelf.put('routines/a.md', at('10:00'))
    await shelf.put('routines/huge.md', file({ cron: '0 10 * * *' }, huge))
    await shelf.put('routines/z.md', at('10:00'))
    const stage = await jobStage({ shelf })
    await stage.pass(HOUR)
    expect(await doneOf(stage)).toEqual([
      'routine a 03-01 09:00',
      'routine huge 03-01 09:00 broken',
      'routine z 03-01 09:00',
    ])
  })
})
