import { describe, expect, test } from 'vitest'
import { runIn } from '../../src/agent/state/run.ts'
import { handleOf } from '../../src/event/id.ts'
import { modelFault } from './doubles.ts'
import { doneOf, file, HOUR, jobStage, MINUTE, restarted, type JobStage } from './job-rig.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { slash, slowly, stopped } from './rig.ts'
import { job } from './run-rig.ts'

const DIARY = file({ cron: '0 * * * *', session: 'persistent' }, 'Go on with the diary.')
const ONCE = file({ cron: '0 * * * *', background: true })
const files = { 'routines/diary.md': DIARY }

async function branches(at: JobStage): Promise<string[]> {
  return (await at.events('run-started')).map(({ branch }) => branch)
}

async function ended(at: JobStage) {
  return (await at.events('branch-ended')).map(({ branch, reason, author }) => ({ branch, reason, author }))
}

async function isResting(at: JobStage): Promise<boolean | undefined> {
  const [branch] = (await at.events('run-started')).slice(-1)
  return branch && at.read((reader) => runIn(reader, branch.branch)?.isResting)
}

describe('a routine with a persistent session', () => {
  test('goes on in the branch of its first firing, knows what it said there, and rests between', async () => {
    let count = 0
    const at = await jobStage({ files, rule: () => ({ text: `entry ${++count}` }) })
    await at.pass(3 * HOUR)
    const [first, ...others] = await branches(at)
    expect(others).toEqual([first, first])
    expect(await at.events('branch-ended')).toEqual([])
    expect((await at.events('run-rested')).map(({ reason }) => reason)).toEqual(Array(3).fill('finished'))
    expect(await isResting(at)).toBe(true)
    const texts = at.model.prompts.at(-1)?.messages.map(({ text }) => text.split('\n\n').at(-1)) ?? []
    expect(texts).toEqual([
      'Go on with the diary.',
      'entry 1',
      'Go on with the diary.',
      'entry 2',
      'Go on with the diary.',
    ])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('goes on there after a restart; nothing is due in it before its time', async () => {
    const first = await jobStage({ files })
    await first.pass(HOUR)
    const at = await restarted(first, 10 * MINUTE)
    expect(at.model.prompts).toEqual([])
    await at.pass(HOUR)
    expect(new Set(await branches(at)).size).toBe(1)
    expect(await doneOf(at)).toHaveLength(2)
  })

  test('begins anew when somebody killed it', async () => {
    const at = await jobStage({ files })
    await at.say('hello')
    await at.pass(HOUR)
    const [run] = await at.events('run-started')
    expect(await at.say(`/kill ${handleOf(run?.branch ?? ('' as never))}`)).toEqual([
      expect.stringMatching(/^Killed /),
    ])
    await at.pass(HOUR)
    const [first, second, ...others] = await branches(at)
    expect(second).not.toBe(first)
    expect(others).toEqual([])
  })

  test('begins anew when somebody stopped it at work', async () => {
    const at = await jobStage({
      files,
      rule: ({ messages }, signal) =>
        messages.at(-1)?.text.includes('10:00 Europe') === true ? stopped(signal) : { text: 'Done.' },
    })
    await at.clock.pass(35 * MINUTE)
    const [run] = await at.events('run-started')
    await at.agent.stop(run?.branch ?? ('' as never))
    await at.pass(HOUR)
    expect(await at.events('branch-ended')).toMatchObject([{ branch: run?.branch, reason: 'killed' }])
    const [first, second] = await branches(at)
    expect(second).not.toBe(first)
  })

  test('started by hand begins anew, and that one ends', async () => {
    const at = await jobStage({ files, jobIn: () => ({ job: job({ job: 'diary' }), warnings: [] }) })
    await at.pass(HOUR)
    await at.say('/run routines/diary.md')
    const [first, byHand] = await branches(at)
    expect(byHand).not.toBe(first)
    expect(await at.events('branch-ended')).toMatchObject([{ branch: byHand, reason: 'finished' }])
    await at.pass(HOUR)
    expect((await branches(at)).at(-1)).toBe(first)
  })

  test('that failed rests as well, is told of, and goes on with the next firing', async () => {
    let isBroken = true
    const at = await jobStage({
      files,
      rule: () => {
        if (isBroken) throw modelFault('unauthorised')
        return { text: 'Done.' }
      },
    })
    await at.pass(HOUR)
    isBroken = false
    await at.pass(HOUR)
    expect((await at.events('run-rested')).map(({ reason }) => reason)).toEqual(['failed', 'finished'])
    expect(new Set(await branches(at)).size).toBe(1)
    expect((await at.events('notice-raised')).map(({ cause }) => cause)).toEqual([
      'failure routine diary',
      'recovery routine diary',
    ])
  })

  test('whose time is over rests, and does not go on with what it left undone', async () => {
    const at = await jobStage({
      files,
      jobFor: async () => ({
        job: job({ job: 'diary', session: 'persistent', timeoutMs: 10 * MINUTE }),
        warnings: [],
      }),
      rule: ({ messages }, signal) =>
        messages.filter(({ text }) => text.startsWith('[routine-bg')).length === 1
          ? stopped(signal)
          : { text: 'Done.' },
    })
    await at.pass(50 * MINUTE)
    expect((await at.events('run-rested')).map(({ reason }) => reason)).toEqual(['timed-out'])
    const asked = at.model.prompts.length
    await at.pass(30 * MINUTE)
    expect(at.model.prompts).toHaveLength(asked)
    await at.pass(20 * MINUTE)
    expect((await at.events('run-rested')).map(({ reason }) => reason)).toEqual(['timed-out', 'finished'])
    await expectLawful(at)
  })

  test('whose model was out of reach until its time was over begins the next one afresh', async () => {
    let isDown = true
    const at = await jobStage({
      files,
      jobFor: async () => ({
        job: job({ job: 'diary', session: 'persistent', timeoutMs: 9.5 * MINUTE }),
        warnings: [],
      }),
      rule: () => {
        if (isDown) throw modelFault('network')
        return { text: 'Done.' }
      },
    })
    await at.pass(50 * MINUTE)
    expect((await at.events('run-rested')).map(({ reason }) => reason)).toEqual(['timed-out'])
    // It waits for the next try when its time is over.
    expect((await at.events('turn-ended')).at(-1)?.outcome).toBe('deferred')
    isDown = false
    await at.pass(30 * MINUTE)
    expect(await at.events('message-added')).not.toContainEqual(
      expect.objectContaining({ message: expect.objectContaining({ role: 'assistant' }) }),
    )
    await at.pass(20 * MINUTE)
    const turns = await at.events('turn-started')
    expect(turns.at(-1)?.continues).toBeNull()
    expect((await at.events('run-rested')).map(({ reason }) => reason)).toEqual(['timed-out', 'finished'])
    await expectLawful(at)
  })

  test('ends what works for it when it rests', async () => {
    const matter = { cron: '0 * * * *', session: 'persistent', 'allowed-tools': 'slash' }
    const at = await jobStage({
      files: { 'routines/diary.md': file(matter) },
      rule: ({ messages }, signal) => {
        const last = messages.at(-1)
        if (last?.role === 'user' && last.text.startsWith('[fork-started]')) return stopped(signal)
        return last?.role === 'tool' ? { text: 'Done.' } : { calls: [slash('fork', '-- Read it all.')] }
      },
    })
    await at.pass(HOUR)
    const kinds = (await at.all()).flatMap(({ kind }) =>
      kind === 'branch-ended' || kind === 'run-rested' ? kind : [],
    )
    expect(kinds).toEqual(['branch-ended', 'run-rested'])
    expect((await at.events('branch-ended'))[0]?.reason).toBe('killed')
  })

  const bySchedule = { reason: 'finished', author: { by: 'policy', name: 'schedule' } }

  test.each([
    ['is gone', (at: JobStage) => at.shelf.remove('routines/diary.md')],
    ['begins anew each time by now', (at: JobStage) => at.shelf.put('routines/diary.md', ONCE)],
    ['runs in main by now', (at: JobStage) => at.shelf.put('routines/diary.md', file({ cron: '0 * * * *' }))],
  ])('ends when its routine %s', async (_, change) => {
    const at = await jobStage({ files })
    await at.pass(HOUR)
    await change(at)
    await at.look()
    const [branch] = await branches(at)
    expect(await ended(at)).toEqual([{ branch, ...bySchedule }])
    await at.put('routines/diary.md', DIARY)
    await at.pass(HOUR)
    expect((await branches(at)).at(-1)).not.toBe(branch)
    expect(await ended(at)).toHaveLength(1)
    await expectLawful(at)
  })

  test('ends after a restart, when its file went while nobody was there', async () => {
    const first = await jobStage({ files })
    await first.pass(HOUR)
    await first.shelf.remove('routines/diary.md')
    const at = await restarted(first, 10 * MINUTE)
    const [branch] = await branches(at)
    expect(await ended(at)).toEqual([{ branch, ...bySchedule }])
  })

  test('at work when its file goes is ended when it is done', async () => {
    const at = await jobStage({ files, rule: () => slow.reply(new AbortController().signal) })
    const slow = slowly({ text: 'Done.' })
    await at.clock.pass(35 * MINUTE)
    await slow.begun.opened
    await at.shelf.remove('routines/diary.md')
    at.scheduler.look()
    await at.scheduler.settled()
    expect(await ended(at)).toEqual([])
    slow.go.open()
    await at.pass(3 * MINUTE)
    expect((await at.events('run-rested')).map(({ reason }) => reason)).toEqual(['finished'])
    expect(await ended(at)).toMatchObject([bySchedule])
  })

  test('does not end while its file is broken', async () => {
    const at = await jobStage({ files })
    await at.pass(HOUR)
    await at.put('routines/diary.md', '---\ncron: 0 *\n---\nx')
    await at.pass(HOUR)
    expect(await ended(at)).toEqual([])
    await at.put('routines/diary.md', DIARY)
    await at.pass(HOUR)
    expect(new Set(await branches(at)).size).toBe(1)
  })
})
