import { describe, expect, test } from 'vitest'
import type { RunAsked } from '../../src/agent/run/run-act.ts'
import { modelFault } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import { append, DAY, HOUR, judge, MINUTE, pass, pauseAll, raise, resumeAll } from './notice-rig.ts'
import { ended, ruled, type Ruled } from './rig.ts'
import { notices, ran } from './run-rig.ts'
import { FakeClock, stage, START } from './stage.ts'

const NIGHT = { from: 22 * 60, to: 8 * 60 }

/** A routine whose runs fail for as long as it is broken. */
async function routine(settings = {}): Promise<Ruled & { breaks: (isBroken: boolean) => void }> {
  const state = { broken: true }
  const at = await ruled(() => (state.broken ? Promise.reject(modelFault('rejected')) : { text: 'Done.' }), {
    settings,
  })
  await at.say('/help')
  await append(at, { kind: 'zone-set', zone: at.settings.zone, author: { by: 'policy', name: 'start' } })
  const breaks = (isBroken: boolean): void => {
    state.broken = isBroken
  }
  return Object.assign(at, { breaks })
}

const watch: Partial<RunAsked> = { job: 'inbox-watch' }

describe('what the host has to say', () => {
  test('[NOTICE1] is told at once, with a number', async () => {
    const at = await stage()
    await at.say('/help')
    await raise(at, 'quarantine', 'routines/brief.md was left out: line 2, there is no cron.')
    expect(at.sent.at(-1)).toMatchObject({
      form: 'notice',
      number: 1,
      text: 'routines/brief.md was left out: line 2, there is no cron.',
    })
  })

  test('[NOTICE1] of one cause is told once an hour at most, with how often it was since when', async () => {
    const at = await stage()
    await at.say('/help')
    for (const text of ['one', 'two', 'three']) {
      await raise(at, 'mail', text)
      await pass(at, 10 * MINUTE)
    }
    await pass(at, 29 * MINUTE)
    expect(notices(at)).toEqual(['one'])
    await pass(at, MINUTE)
    expect(notices(at)).toEqual(['one', 'three (2 times since 09:40)'])
  })

  test('[NOTICE1] of several causes is one message', async () => {
    const at = await stage({ settings: { quietHours: { from: 9 * 60, to: 10 * 60 } } })
    await at.say('/help')
    await raise(at, 'a', 'The first.')
    await raise(at, 'b', 'The second.')
    await raise(at, 'a', 'The first again.')
    expect(notices(at)).toEqual([])
    await pass(at, 30 * MINUTE)
    expect(notices(at)).toEqual(['- The second.\n- The first again. (2 times since 09:30)'])
    expect((await at.events('notices-told')).map(({ causes }) => causes)).toEqual([['b', 'a']])
  })

  test('[NOTICE1] of many causes names each of them, the earlier ones in short', async () => {
    const at = await stage()
    await at.say('/help')
    const branch = await at.branch()
    await at.log.write((writing) => {
      const fact = { kind: 'notice-raised', branch, at: at.clock.now(), v: 1, person: 'owner' } as const
      for (let one = 1; one <= 30; one++)
        writing.append({ ...fact, cause: `failure ${one}`, text: `Cause ${one}: ${'why '.repeat(40)}.` })
    })
    at.agent.deliver()
    await at.settle()
    const [text = '', ...others] = notices(at)
    expect(others).toEqual([])
    const lines = text.split('\n')
    expect(lines.map((line) => /^- Cause (\d+)/.exec(line)?.[1])).toEqual(
      Array.from({ length: 30 }, (_, one) => String(one + 1)),
    )
    expect([lines[0]?.length, lines[10]?.length].map((length = 0) => length > 100)).toEqual([false, true])
  })

  test('[JOB2] a file that was mended and is wrong in another way is told of again, an hour later', async () => {
    const at = await stage()
    await at.say('/help')
    await judge(at, 'routines/a.md', 'cron is 61.')
    await judge(at, 'routines/a.md', null)
    await judge(at, 'routines/a.md', 'cron is 62.')
    await pass(at, HOUR)
    expect(notices(at)).toEqual(['routines/a.md, line 2: cron is 61.', 'routines/a.md, line 2: cron is 62.'])
  })

  test('[JOB2] a file that was mended before anybody was told is not called wrong', async () => {
    const at = await stage()
    await at.say('/help')
    await judge(at, 'routines/a.md', 'cron is 61.')
    await judge(at, 'routines/a.md', 'cron is 62.')
    await judge(at, 'routines/a.md', null)
    await pass(at, HOUR)
    expect(notices(at).at(-1)).toBe('routines/a.md has no mistakes any more.')
  })

  test('[JOB2] several files that are wrong stand below one heading', async () => {
    const at = await stage({ settings: { quietHours: { from: 9 * 60, to: 10 * 60 } } })
    await at.say('/help')
    await judge(at, 'routines/a.md', 'cron is 61.')
    await judge(at, 'routines/b.md', 'cron is 62.')
    await pass(at, 30 * MINUTE)
    expect(notices(at)).toEqual([
      '2 files cannot be used:\n- routines/a.md, line 2: cron is 61.\n- routines/b.md, line 2: cron is 62.',
    ])
  })

  test('[NOTICE1] waits for the end of quiet hours, and of a pause', async () => {
    const at = await stage({ settings: { quietHours: NIGHT } })
    await at.say('/help')
    await pauseAll(at, null)
    await raise(at, 'a')
    await pass(at, 13 * HOUR)
    expect(notices(at)).toEqual([])
    await resumeAll(at)
    expect(notices(at)).toEqual([])
    await pass(at, 9 * HOUR + 29 * MINUTE)
    expect(notices(at)).toEqual([])
    await pass(at, MINUTE)
    expect(notices(at)).toEqual(['a'])
  })

  test('[NOTICE1] waits for a person whom nobody knows yet, and harms no other', async () => {
    const at = await stage()
    await at.say('/help')
    const somebody = { kind: 'notice-raised', person: 'ann', cause: 'a', text: 'For Ann.' } as const
    await append(at, somebody)
    await raise(at, 'b', 'For the owner.')
    await pass(at, DAY)
    expect(notices(at)).toEqual(['For the owner.'])
  })

  test('[NOTICE1] is told once, whenever the process ends', async () => {
    const first = await stage({ settings: { quietHours: NIGHT } })
    await first.say('/help')
    await pass(first, 13 * HOUR)
    await raise(first, 'a')
    const second = await stage({ ...(await ended(first)), settings: { quietHours: NIGHT } })
    await pass(second, 10 * HOUR)
    expect(notices(second)).toEqual(['a'])
    const third = await stage({ ...(await ended(second)), settings: { quietHours: NIGHT } })
    await pass(third, DAY)
    expect(notices(third)).toEqual([])
    await expectLawful(third)
  })
})

test('[NOTICE1] a clock that was ahead by months keeps nobody waiting for as long', async () => {
  const first = await stage({ clock: new FakeClock(START + 100 * DAY) })
  await first.say('/help')
  await raise(first, 'a', 'One.')
  expect(notices(first)).toEqual(['One.'])
  const { disk } = await ended(first)
  const at = await stage({ ...(disk && { disk }), clock: new FakeClock(START) })
  await raise(at, 'a', 'Two.')
  expect(notices(at)).toEqual(['Two.'])
  await raise(at, 'a', 'Three.')
  expect(notices(at)).toEqual(['Two.'])
})

describe('a job that fails', () => {
  test('[NOTICE1] is told at once, then after an hour, four hours, and once a day', async () => {
    const at = await routine()
    for (let hour = 0; hour < 80; hour++) {
      await ran(at, watch)
      await pass(at, HOUR)
    }
    const told = (await at.events('notices-told')).map((event) => (event.at - START) / HOUR)
    expect(told).toEqual([0, 1, 5, 29, 53, 77])
    expect(notices(at).at(0)).toMatch(/^routine inbox-watch failed: [^\n]*\.$/)
    expect(notices(at).at(2)).toMatch(/^routine inbox-watch failed: .* \(5 times since 09:30\)$/)
    expect(notices(at).at(3)).toMatch(/\(29 times since yesterday 09:30\)$/)
  })

  test('is told in the branch of its run, so that a reply knows what it did', async () => {
    const at = await routine()
    const run = await ran(at, watch)
    const told = (await at.events('delivery-intended')).find(({ form }) => form === 'notice')
    expect(told?.branch).toBe(run)
    await expectLawful(at)
  })

  test('and works again is told once', async () => {
    const at = await routine()
    for (let hour = 0; hour < 7; hour++) {
      await ran(at, watch)
      await pass(at, 4 * HOUR)
    }
    const before = notices(at).length
    at.breaks(false)
    for (let hour = 0; hour < 3; hour++) {
      await ran(at, watch)
      await pass(at, HOUR)
    }
    expect(notices(at).slice(before)).toEqual([
      'routine inbox-watch works again, after 7 failures since yesterday 09:30.',
    ])
  })

  test('and works again before anybody could be told is one line', async () => {
    const at = await routine({ quietHours: { from: 9 * 60, to: 12 * 60 } })
    await ran(at, watch)
    await pass(at, HOUR)
    await ran(at, watch)
    at.breaks(false)
    await ran(at, watch)
    await pass(at, DAY)
    expect(notices(at)).toHaveLength(1)
    expect(notices(at)[0]).toMatch(
      /^routine inbox-watch works again, after 2 failures since 09:30\. The last time it failed: /,
    )
  })

  test('[NOTICE1] every now and then is told once an hour at most', async () => {
    const at = await routine()
    for (let round = 0; round < 12; round++) {
      at.breaks(round % 2 === 0)
      await ran(at, watch)
      await pass(at, 10 * MINUTE)
    }
    const told = await at.events('notices-told')
    for (const cause of ['failure routine inbox-watch', 'recovery routine inbox-watch']) {
      const times = told.filter(({ causes }) => causes.includes(cause)).map(({ at: when }) => when)
      expect(times.every((when, index) => index === 0 || when - (times[index - 1] ?? 0) >= HOUR)).toBe(true)
    }
    expect(notices(at).length).toBeLessThanOrEqual(5)
  })

  test('never before tells nobody that it works', async () => {
    const at = await routine()
    at.breaks(false)
    await ran(at, watch)
    await pass(at, DAY)
    expect(notices(at)).toEqual([])
  })
})
