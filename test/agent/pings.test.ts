import { describe, expect, test } from 'vitest'
import { isBusy } from '../../src/agent/ping/ping-obstacle.ts'
import { budgetNow } from '../../src/agent/ping/budget-now.ts'
import { pingAddress } from '../../src/agent/ping/ping-place.ts'
import type { AgentSettings } from '../../src/agent/state/settings.ts'
import { seededRandom } from '../../src/base/random.ts'
import { getBranch } from '../../src/context/branch.ts'
import { isRefusal } from '../../src/context/decision.ts'
import { fork } from '../../src/context/fork.ts'
import { makeBranchId, makeTurnId, type BranchId } from '../../src/event/id.ts'
import { pingLife, type PingLife, type Wish } from './ping-life.ts'
import { stage } from './stage.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

async function life(pings: Partial<AgentSettings['pings']> = {}, more: Partial<AgentSettings> = {}) {
  const at = await stage()
  await at.close()
  return pingLife({ ...at.settings, ...more, pings: { ...at.settings.pings, ...pings } })
}

async function ledger(at: PingLife): Promise<string[]> {
  const decided = await at.events('ping-decided')
  return decided.map(({ verdict, because, text }) => `${verdict} ${because}: ${text}`)
}

async function updates(at: PingLife): Promise<string[]> {
  return (await at.events('update-reported')).map(({ source, text }) => `${source}: ${text}`)
}

async function left(at: PingLife, person = 'owner'): Promise<number> {
  const look = { now: at.clock.now(), settings: at.settings }
  return at.read((reader) => budgetNow(reader, person, look).available)
}

async function one(at: PingLife, wish: Wish): Promise<string> {
  const [said = ''] = await at.ping(await at.run('owner'), [wish])
  return said
}

function pause(at: PingLife, until: number | null): Promise<unknown> {
  const about = { branch: at.mains.owner, at: at.clock.now(), v: 1, author: { by: 'person' } } as const
  return at.write((writing) => writing.append({ kind: 'jobs-paused', ...about, one: null, until }))
}

/** A turn begins in a branch; what ends it. */
async function turnIn(at: PingLife, branch: BranchId): Promise<() => Promise<void>> {
  const about = { branch, v: 1, turn: makeTurnId(at.clock.now(), seededRandom(8)) } as const
  await at.write((writing) => {
    const { version } = getBranch(writing, branch)
    const facts = { version, head: null, continues: null } as const
    return writing.append({ kind: 'turn-started', ...about, at: at.clock.now(), ...facts })
  })
  return async () => {
    await at.write((writing) =>
      writing.append({ kind: 'turn-ended', ...about, at: at.clock.now(), outcome: 'answered' }),
    )
    await at.settle()
  }
}

describe('[PING1] the budget', () => {
  test('of one token left goes to one of three that ping in the same millisecond', async () => {
    const at = await life({ capacity: 1 })
    const runs = await Promise.all([1, 2, 3].map(() => at.run('owner')))
    await at.pingAll(runs.map((run, index) => [run, { text: `p${index}` }]))
    await at.settle()
    expect(await ledger(at)).toEqual(['sent allowed: p0', 'refused budget: p1', 'refused budget: p2'])
    expect(at.arrived).toEqual(['p0'])
  })

  test('[PING2] of a send that failed goes to another, and main is told what nobody got', async () => {
    const at = await life({ capacity: 1 })
    at.fates.push('refused', 'refused')
    await one(at, { text: 'lost' })
    expect(await left(at)).toBe(1)
    await one(at, { text: 'second' })
    expect(at.arrived).toEqual(['second'])
    expect(await updates(at)).toEqual([
      'routine job-1: A message to the person did not arrive (the platform is down): lost',
    ])
  })

  test('is not overdrawn by what comes back late: time that paid for a ping on its way pays once', async () => {
    const at = await life({ capacity: 1, refillMinutes: 1 })
    at.fates.push('hangs')
    await one(at, { text: 'hung' })
    await at.move(30 * MINUTE)
    // It goes elsewhere, past the place where the first one hangs.
    at.settings = { ...at.settings, pings: { ...at.settings.pings, to: 'terminal:second' } }
    await one(at, { text: 'a' })
    await at.restart()
    await one(at, { text: 'b' })
    expect(at.arrived).toEqual(['a'])
    expect(await ledger(at)).toEqual(['sent allowed: hung', 'sent allowed: a', 'refused budget: b'])
  })

  test('of one person is not that of another, and main counts on its own', async () => {
    const at = await life({ capacity: 1 })
    await at.ping(at.mains.owner, [{ text: 'a' }])
    await at.ping(await at.run('guest'), [{ text: 'b' }])
    await at.ping(await at.run('guest'), [{ text: 'c' }])
    expect(await ledger(at)).toEqual(['sent allowed: a', 'sent allowed: b', 'refused budget: c'])
    expect([await left(at), await left(at, 'guest')]).toEqual([0, 0])
  })

  test('has the size of the configuration from the next ping on; a larger one grants nothing', async () => {
    const at = await life({ capacity: 2 })
    await one(at, { text: 'a' })
    at.settings = { ...at.settings, pings: { ...at.settings.pings, capacity: 5 } }
    await one(at, { text: 'b' })
    await one(at, { text: 'c' })
    expect(await ledger(at)).toEqual(['sent allowed: a', 'sent allowed: b', 'refused budget: c'])
    const author = { by: 'policy', name: 'configuration' }
    expect(await at.events('budget-set')).toMatchObject([{ capacity: 5, available: 1, author }])
  })

  test('is kept by the log itself: an event that says there was more is refused', async () => {
    const at = await life({ capacity: 1 })
    await one(at, { text: 'a' })
    const [decided] = await at.events('ping-decided')
    if (decided?.budget === undefined) throw new Error('there is no ping')
    const { position: _, budget, ...line } = decided
    const forged = (available: number) =>
      at.write((writing) => writing.append({ ...line, budget: { ...budget, available } }))
    await expect(forged(1)).rejects.toThrow('has only 0')
    await expect(forged(0)).rejects.toThrow('has no token left')
  })
})

describe('a refusal says what is in the way and what to do instead', () => {
  const REPORT = 'Use report_updates for it instead.'
  const CRITICAL = 'critical: true is for what they would be devastated to miss.'

  test('when the budget is spent, with when the next is there', async () => {
    const at = await life({ capacity: 1 })
    await one(at, { text: 'a' })
    expect(await one(at, { text: 'b' })).toBe(
      `Not sent: the ping budget is used up; the next one is available today 11:00, in 90 min. ${REPORT} ${CRITICAL}`,
    )
  })

  test('in quiet hours', async () => {
    const at = await life({}, { quietHours: { from: 9 * 60, to: 10 * 60 } })
    expect(await one(at, { text: 'a' })).toMatch(/^Not sent: the person has quiet hours, until today 10:00, /)
    expect(await one(at, { text: 'b', isCritical: true })).toBe('Sent.')
  })

  test('while the person is busy', async () => {
    const at = await life({ busyMs: MINUTE })
    expect(await one(at, { text: 'a' })).toBe(
      `Not sent: the person is busy right now. ${REPORT} Or give when_free: true, and it is sent when they are free.`,
    )
    await at.move(MINUTE)
    expect(await one(at, { text: 'b' })).toBe('Sent.')
  })

  test('in a pause, which holds for what is critical too', async () => {
    const at = await life()
    await pause(at, at.clock.now() + HOUR)
    expect(await one(at, { text: 'a', isCritical: true })).toBe(
      `Not sent: the person has paused all jobs and pings, until today 10:30, in 1 h. ${REPORT}`,
    )
    await at.move(HOUR)
    expect(await one(at, { text: 'b' })).toBe('Sent.')
  })

  test.each([
    [1, 1, 'a day'],
    [2, 7, 'in 7 days'],
    [3, 30, 'in 30 days'],
    [4, 30, 'in 30 days'],
  ])('where less was asked for %i times: one ping in %i days', async (times, days, words) => {
    const at = await life()
    const run = await at.run('owner', { job: 'brief' })
    await at.ping(run, [{ text: 'a' }])
    const [first] = await at.events('ping-decided')
    if (first === undefined) throw new Error('there is no ping')
    const end = async (branch: BranchId): Promise<void> => {
      const author = { by: 'policy', name: 'end' } as const
      const about = { branch, at: at.clock.now(), v: 1, author } as const
      await at.write((writing) => writing.append({ kind: 'branch-ended', ...about, reason: 'finished' }))
    }
    const again = async (): Promise<string> => {
      const other = await at.run('owner', { job: 'brief' })
      const [said = ''] = await at.ping(other, [{ text: 'b' }])
      await end(other)
      return said
    }
    await end(run)
    for (let n = 0; n < times; n++) {
      const about = { branch: at.mains.owner, at: at.clock.now(), v: 1, ping: first.position } as const
      await at.write((writing) => writing.append({ kind: 'ping-answered', ...about, answer: 'less' }))
    }
    await at.move((days - 1) * 24 * HOUR)
    expect(await again()).toContain(
      `Not sent: the person wants less of this: one ping of routine brief ${words} at most, and there was one.`,
    )
    // By the calendar: the next day counts from midnight on.
    await at.move(15 * HOUR)
    expect(await again()).toBe('Sent.')
  })
})

describe('a ping that may wait', () => {
  test('is sent when the person has been quiet for long enough, and takes its token then', async () => {
    const at = await life({ busyMs: MINUTE })
    expect(await one(at, { text: 'a', isPatient: true })).toMatch(/^Held: the person is busy\./)
    expect(await left(at)).toBe(5)
    await at.move(MINUTE - 1)
    expect(at.arrived).toEqual([])
    await at.move(1)
    expect(at.arrived).toEqual(['a'])
    expect(await ledger(at)).toEqual(['held busy: a', 'sent allowed: a'])
    expect(await left(at)).toBe(4)
  })

  test('is sent when the turn ends that made the person busy, and counts as the one of its run', async () => {
    const at = await life()
    const end = await turnIn(at, at.mains.owner)
    const run = await at.run('owner')
    await at.ping(run, [
      { text: 'a', isPatient: true },
      { text: 'b', isPatient: true },
    ])
    await end()
    expect(at.arrived).toEqual(['a'])
    expect(await ledger(at)).toEqual(['held busy: a', 'refused one-per-run: b', 'sent allowed: a'])
  })

  test('[PING2] becomes an update when that takes too long', async () => {
    const at = await life()
    const end = await turnIn(at, at.mains.owner)
    await one(at, { text: 'a', isPatient: true })
    await at.move(30 * MINUTE)
    await end()
    expect(at.arrived).toEqual([])
    expect(await updates(at)).toEqual([
      'routine job-1: A message to the person was held, since they were busy, until it was too late: a',
    ])
  })

  test('waits for the end of quiet hours and for a token as well', async () => {
    const at = await life(
      { busyMs: MINUTE, capacity: 1, refillMinutes: 10 },
      { quietHours: { from: 571, to: 575 } },
    )
    await at.move(MINUTE)
    at.settings = { ...at.settings, quietHours: null }
    await one(at, { text: 'a' })
    at.settings = { ...at.settings, quietHours: { from: 572, to: 575 } }
    await at.hear('owner')
    await one(at, { text: 'b', isPatient: true })
    await at.move(4 * MINUTE)
    expect(at.arrived).toEqual(['a'])
    await at.move(6 * MINUTE)
    expect(at.arrived).toEqual(['a', 'b'])
  })
})

describe('critical pings beyond the cap of a day', () => {
  test('[PING4] come as one message a minute after the first, with the jobs that send them', async () => {
    const at = await life({ criticalMax: 1 })
    await one(at, { text: 'fire', isCritical: true })
    expect(await one(at, { text: 'flood', isCritical: true })).toMatch(
      /^Held for a minute: more than 1 critical message today/,
    )
    await at.move(30_000)
    await one(at, { text: 'storm', isCritical: true })
    expect(at.arrived).toEqual(['fire'])
    await at.move(30_000)
    expect(at.arrived.slice(1)).toEqual([
      '2 critical messages in one, since there were many today (routine job-3: 1, routine job-2: 1, routine job-1: 1).\n\nroutine job-2: flood\n\nroutine job-3: storm',
    ])
    expect((await ledger(at)).slice(-2)).toEqual(['sent critical-cap: flood', 'sent critical-cap: storm'])
  })

  test('count anew on the next day', async () => {
    const at = await life({ criticalMax: 1 })
    await one(at, { text: 'a', isCritical: true })
    await at.move(15 * HOUR)
    await one(at, { text: 'b', isCritical: true })
    expect(at.arrived).toEqual(['a', 'b'])
  })
})

describe('a ping that is not taken', () => {
  test('goes to the next conversation of the person, with the number that it has there', async () => {
    const at = await life()
    at.fates.push('refused')
    await one(at, { text: 'a' })
    expect(at.arrived).toEqual(['a'])
    const sent = await at.events('delivery-intended')
    expect(sent.map(({ to, number }) => `${to.conversation} #${number}`)).toEqual(['local #1', 'second #1'])
    expect(sent[1]?.choices?.map(({ command }) => command)).toEqual([
      '/done 1',
      '/snooze 1 10m',
      '/snooze 1 1h',
      '/snooze 1 tomorrow',
      '/less 1',
    ])
    expect(await updates(at)).toEqual([])
    expect(await left(at)).toBe(4)
  })

  test('[PING2] in time is not sent any more, and is told to main once', async () => {
    const at = await life({ capacity: 1 })
    at.fates.push(...Array.from({ length: 500 }, () => 'later' as const))
    await one(at, { text: 'a' })
    await at.move(30 * MINUTE)
    at.fates.length = 0
    await at.move(HOUR)
    await at.restart()
    expect(at.arrived).toEqual([])
    expect(await updates(at)).toEqual([
      'routine job-1: A message to the person did not arrive within 30 min: a',
    ])
    const [decided] = await at.events('ping-decided')
    expect(await at.events('ping-settled')).toMatchObject([{ ping: decided?.position, outcome: 'expired' }])
    expect(await left(at)).toBe(1)
  })

  test('[PING2] is not given up while its platform has it', async () => {
    const at = await life()
    at.fates.push('hangs')
    await one(at, { text: 'a' })
    await at.move(HOUR)
    expect(await at.events('ping-settled')).toEqual([])
    await at.restart()
    expect(await at.events('ping-settled')).toMatchObject([{ outcome: 'expired' }])
    expect(at.arrived).toEqual([])
  })

  test('[PING2] leaves the run its one ping', async () => {
    const at = await life()
    at.fates.push('refused', 'refused')
    const run = await at.run('owner')
    await at.ping(run, [{ text: 'a' }])
    expect(await at.ping(run, [{ text: 'b' }])).toEqual(['Sent.'])
    expect(await at.ping(run, [{ text: 'c' }])).toEqual([
      expect.stringMatching(/^Not sent: this run has already written/),
    ])
  })

  test('because this process has no such channel goes where it has one', async () => {
    const at = await life()
    await at.write((writing) => {
      const about = { branch: at.mains.owner, at: at.clock.now(), v: 1 } as const
      const place = { channel: 'telegram', conversation: '12' } as const
      const source = { from: 'person', ...place, person: 'owner', key: null } as const
      writing.append({ kind: 'conversation-bound', ...about, ...place, author: { by: 'person' } })
      writing.append({ kind: 'inbound-admitted', ...about, source, form: 'note', text: 'I am here.' })
    })
    await one(at, { text: 'a' })
    const sent = await at.events('delivery-intended')
    expect(sent.map(({ to }) => to.channel)).toEqual(['telegram', 'terminal'])
    expect(at.arrived).toEqual(['a'])
  })
})

test('pings go where the person chose, if that is known, else where they wrote last', async () => {
  const at = await life()
  const place = (to: string | null) =>
    at.read(
      (reader) =>
        pingAddress(
          reader,
          { main: at.mains.owner, person: 'owner' },
          { pings: { ...at.settings.pings, to } },
        )?.conversation,
    )
  expect(await place(null)).toBe('local')
  expect(await place('terminal:second')).toBe('second')
  expect(await place('terminal')).toBe('local')
  expect(await place('terminal:guest')).toBe('local')
  expect(await place('telegram')).toBe('local')
  await at.hear('owner', 'second')
  expect(await place(null)).toBe('second')
  expect(await place('terminal:local')).toBe('local')
})

function busy(at: PingLife, busyMs = MINUTE): Promise<boolean> {
  return at.read((reader) => isBusy(reader, at.mains.owner, { now: at.clock.now(), busyMs }))
}

describe('a person is busy', () => {
  test('from their last word on for as long as is configured, and not because of a clock that was ahead', async () => {
    const at = await life()
    expect(await busy(at)).toBe(true)
    await at.move(MINUTE - 1)
    expect(await busy(at)).toBe(true)
    await at.move(1)
    expect(await busy(at)).toBe(false)
    await at.hear('owner')
    await at.move(-HOUR)
    expect(await busy(at)).toBe(false)
  })

  test('while a turn runs in their main session or in a fork of theirs, and not for a run or for another person', async () => {
    const at = await life()
    const child = makeBranchId(at.clock.now(), seededRandom(5))
    await at.write((writing) => {
      const inherit = { take: 'nothing' } as const
      const author = { by: 'person' } as const
      const act = {
        parent: at.mains.owner,
        child,
        mode: 'fork',
        title: null,
        inherit,
        hasGoal: true,
      } as const
      const forked = fork(writing, { ...act, at: at.clock.now(), author })
      if (isRefusal(forked)) throw new Error('refused')
      writing.append(forked.draft)
    })
    for (const [branch, expected] of [
      [at.mains.owner, true],
      [child, true],
      [at.mains.guest, false],
      [await at.run('owner'), false],
    ] as const) {
      const end = await turnIn(at, branch)
      expect(await busy(at, 0)).toBe(expected)
      await end()
      expect(await busy(at, 0)).toBe(false)
    }
  })
})
