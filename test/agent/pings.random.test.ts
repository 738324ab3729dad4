import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clockIn } from '../../src/base/time-text.ts'
import { budgetOf } from '../../src/agent/state/ledger.ts'
import type { AgentSettings } from '../../src/agent/state/settings.ts'
import type { Event } from '../../src/event/event.ts'
import type { BranchId } from '../../src/event/id.ts'
import { naiveBudget } from './naive-budgets.ts'
import { PEOPLE, pingLife, type Fate, type Person, type PingLife, type Wish } from './ping-life.ts'
import { stage } from './stage.ts'
import { rounds } from '../rounds.ts'

/** Whatever people, jobs, clocks, platforms and settings do: what the laws of pings say holds. */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const TTL = 20 * MINUTE
const JOBS = ['owner a', 'owner b', 'guest c', 'mute'] as const
const RUNS = rounds(60)

type Step =
  | { readonly do: 'ping'; readonly by: Writer; readonly isNew: boolean; readonly wishes: readonly Kind[] }
  | { readonly do: 'at-once'; readonly kind: Kind }
  | { readonly do: 'move'; readonly ms: number }
  | { readonly do: 'fates'; readonly fates: readonly Fate[] }
  | { readonly do: 'hear'; readonly person: Person }
  | { readonly do: 'size'; readonly capacity: number; readonly refillMinutes: number }
  | { readonly do: 'cap'; readonly criticalMax: number }
  | { readonly do: 'pause'; readonly ms: number }
  | { readonly do: 'restart' }
type Writer = (typeof JOBS)[number] | Person
type Kind = Omit<Wish, 'text'>

const seldom = fc.integer({ min: 0, max: 4 }).map((one) => one === 0)
const kind = fc.record({ isCritical: seldom, isPatient: fc.boolean() })
const LONG = { minLength: 1, maxLength: 60, size: 'max' } as const
const size = fc.record({
  capacity: fc.integer({ min: 1, max: 3 }),
  refillMinutes: fc.integer({ min: 1, max: 40 }),
})
const moves = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 30 * MINUTE }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 * DAY }) },
  { weight: 1, arbitrary: fc.integer({ min: -2 * HOUR, max: -1 }) },
  { weight: 1, arbitrary: fc.integer({ min: -4 * DAY, max: -1 }) },
)
const fate = fc.constantFrom<Fate>('taken', 'refused', 'later', 'hangs')
const lives = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('ping' as const),
      by: fc.constantFrom<Writer>(...JOBS, ...PEOPLE),
      isNew: fc.boolean(),
      wishes: fc.array(kind, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('at-once' as const), kind }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('move' as const), ms: moves }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('fates' as const), fates: fc.array(fate, { maxLength: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('hear' as const), person: fc.constantFrom(...PEOPLE) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('cap' as const), criticalMax: fc.integer({ min: 0, max: 2 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('pause' as const), ms: fc.integer({ min: 0, max: HOUR }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
)
const resizing = fc.oneof(
  { weight: 20, arbitrary: lives },
  { weight: 1, arbitrary: size.map((changed) => ({ do: 'size' as const, ...changed })) },
)

/** A life, what was said in it, and how far the clock had gone forward at each event. */
class Told {
  readonly life: PingLife
  readonly #runs = new Map<string, BranchId>()
  readonly texts: string[] = []
  readonly forward: number[] = []
  #gone = 0

  constructor(life: PingLife) {
    this.life = life
  }

  async do(step: Step): Promise<void> {
    await this.#act(step)
    const { length } = await this.life.all()
    while (this.forward.length <= length) this.forward.push(this.#gone)
  }

  async #act(step: Step): Promise<void> {
    const { life } = this
    switch (step.do) {
      case 'ping': {
        const branch = await this.#writer(step.by, step.isNew)
        return void (await life.ping(
          branch,
          step.wishes.map((wish) => this.#wish(wish)),
        ))
      }
      case 'at-once': {
        const branches = await Promise.all(['owner', 'owner', 'guest'].map((who) => life.run(who as Person)))
        await life.pingAll(branches.map((branch) => [branch, this.#wish(step.kind)]))
        return life.settle()
      }
      case 'move':
        this.#gone += Math.max(0, step.ms)
        return life.move(step.ms)
      case 'fates':
        return void life.fates.push(...step.fates)
      case 'hear':
        return life.hear(step.person)
      case 'size': {
        const { capacity, refillMinutes } = step
        return set(life, { capacity, refillMinutes })
      }
      case 'cap':
        return set(life, { criticalMax: step.criticalMax })
      case 'pause':
        return pause(life, step.ms)
      case 'restart':
        return life.restart()
    }
  }

  #wish(wish: Kind): Wish {
    const text = `ping-${this.texts.length}.`
    this.texts.push(text)
    return { ...wish, text }
  }

  async #writer(by: Writer, isNew: boolean): Promise<BranchId> {
    if (by === 'owner' || by === 'guest') return this.life.mains[by]
    const known = this.#runs.get(by)
    if (known !== undefined && !isNew) return known
    const run = await this.life.run(by === 'guest c' ? 'guest' : 'owner', { allowPing: by !== 'mute' })
    this.#runs.set(by, run)
    return run
  }
}

function set(life: PingLife, pings: Partial<AgentSettings['pings']>): void {
  life.settings = { ...life.settings, pings: { ...life.settings.pings, ...pings } }
}

async function pause(life: PingLife, ms: number): Promise<void> {
  const at = life.clock.now()
  const about = { branch: life.mains.owner, at, v: 1, one: null, author: { by: 'person' } } as const
  await life.write((writing) => writing.append({ kind: 'jobs-paused', ...about, until: at + ms }))
}

async function settings(): Promise<AgentSettings> {
  const at = await stage()
  await at.close()
  const pings = { ...at.settings.pings, capacity: 2, refillMinutes: 20, ttlMs: TTL, busyMs: MINUTE }
  return { ...at.settings, pings, quietHours: { from: 22 * 60, to: 7 * 60 } }
}

async function lived(steps: readonly Step[], start: AgentSettings): Promise<Told> {
  const told = new Told(await pingLife(start))
  for (const step of steps) await told.do(step)
  return told
}

async function expectKnown(told: Told): Promise<void> {
  const { life } = told
  const decided = await life.events('ping-decided')
  const first = decided.filter(({ of }) => of === undefined)
  expect(first.map(({ text }) => text).toSorted(), '[PING4] each has a line').toEqual(told.texts.toSorted())
  const mute = first.filter(({ run, because }) => run !== null && because === 'not-allowed')
  expect(mute.every(({ verdict }) => verdict === 'refused')).toBe(true)
  const allowed = new Set(
    (await life.events('run-started')).filter((run) => !run.allowPing).map((run) => run.branch),
  )
  for (const { run, because } of decided)
    if (run !== null && allowed.has(run)) expect(because, '[PING3] never').toBe('not-allowed')
  for (const { budget, at } of decided) {
    if (budget === undefined) throw new Error('a ping that nobody asked for names its budget')
    const days = (Date.parse(budget.day) - Date.parse(clockIn(at, 'Europe/Berlin').date)) / DAY
    expect([0, 1], 'the day is the day, or was a moment ago').toContain(days)
  }
}

/** What nobody got is given back, as far as it would be there had it never been sent: not more, and not less if it was alone. */
async function expectBudgets({ life }: Told): Promise<void> {
  const all = await life.all()
  const lost = await lostOf(life)
  for (const person of PEOPLE) {
    const row = await life.read((reader) => budgetOf(reader, person))
    const most = naiveBudget(all, person, lost)
    expect(row && [row.used, row.critical]).toEqual(most && [most.used.size, most.critical.size])
    if (row === undefined || most === undefined) continue
    const least = naiveBudget(all, person)?.available ?? NaN
    expect(row.available).toBeLessThan(most.available + 1e-6)
    expect(row.available).toBeGreaterThan(least - 1e-6)
    if (!wereTogether(all, person)) expect(row.available).toBeCloseTo(most.available, 6)
  }
}

async function lostOf(life: PingLife): Promise<Set<number>> {
  const settled = await life.events('ping-settled')
  return new Set(settled.filter(({ outcome }) => outcome !== 'moved').map(({ ping }) => ping))
}

/** Whether two pings that take tokens were ever on their way at the same time. */
function wereTogether(all: readonly Event[], person: string): boolean {
  const onTheWay = new Map<number, number>()
  for (const event of all) {
    if (event.kind === 'ping-decided' && event.because === 'allowed' && event.budget?.person === person)
      onTheWay.set(event.position, event.delivery ?? 0)
    if (onTheWay.size > 1) return true
    if (event.kind === 'delivery-done')
      for (const [ping, delivery] of onTheWay) if (delivery === event.intent) onTheWay.delete(ping)
    if (event.kind !== 'ping-settled') continue
    if (event.outcome !== 'moved') onTheWay.delete(event.ping)
    else if (onTheWay.has(event.ping)) onTheWay.set(event.ping, event.delivery ?? 0)
  }
  return false
}

/** PING1: in any stretch in which the clock went forward by T there are at most capacity + T / refill of them. */
async function expectFew({ life, forward }: Told): Promise<void> {
  const { capacity, refillMinutes } = life.settings.pings
  const lost = await lostOf(life)
  const sent = (await life.events('ping-decided')).filter(
    ({ because, verdict, position }) => because === 'allowed' && verdict === 'sent' && !lost.has(position),
  )
  for (const person of PEOPLE) {
    const times = sent
      .filter(({ budget }) => budget?.person === person)
      .map(({ position }) => forward[position] ?? NaN)
    for (const [from, begin] of times.entries())
      for (const [to, end] of times.entries()) {
        if (to < from) continue
        const most = capacity + (end - begin) / (refillMinutes * MINUTE)
        expect(to - from + 1, '[PING1]').toBeLessThanOrEqual(most + 1e-6)
      }
  }
}

/** PING2: when all is over, each was refused, arrived, or is told to main; and never two of them. */
async function expectNothingLost({ life, texts }: Told): Promise<void> {
  life.fates.length = 0
  await life.restart()
  await life.move(2 * TTL + HOUR)
  await life.restart()
  const decided = await life.events('ping-decided')
  const refused = new Set(decided.filter(({ verdict }) => verdict === 'refused').map(({ text }) => text))
  const updates = (await life.events('update-reported')).map(({ text }) => text)
  for (const text of texts) {
    const ways = [
      refused.has(text) ? 1 : 0,
      life.arrived.filter((message) => message.includes(text)).length,
      updates.filter((update) => update.includes(text)).length,
    ]
    expect(
      ways.reduce((sum, one) => sum + one, 0),
      `${text} ${ways.join(' ')}`,
    ).toBe(1)
  }
}

describe('over any pings, clocks, platforms, pauses and restarts', () => {
  test('[PING1] [PING2] [PING3] [PING4] hold while the budget has one size', async () => {
    const start = await settings()
    const law = async (steps: readonly Step[], fixed: { capacity: number; refillMinutes: number }) => {
      const told = await lived(steps, { ...start, pings: { ...start.pings, ...fixed } })
      await expectFew(told)
      await expectKnown(told)
      await expectBudgets(told)
      await expectNothingLost(told)
      await expectBudgets(told)
    }
    // The clock goes back 33.5 hours and forward 24, so that a date comes twice; then a ping of its first time is lost.
    const critical = [{ isCritical: true, isPatient: false }]
    const ping = { do: 'ping', by: 'owner a', isNew: false, wishes: critical } as const
    const twice = [
      { do: 'fates', fates: ['hangs'] },
      ping,
      { do: 'move', ms: -120_600_001 },
      ping,
      { do: 'move', ms: 86_400_001 },
      ping,
    ] as const
    await law(twice, { capacity: 1, refillMinutes: 1 })
    await fc.assert(fc.asyncProperty(fc.array(lives, LONG), size, law), { numRuns: RUNS })
  })

  test('[PING1] [PING2] budgets are what a naive count of the log says, also when their size is changed', async () => {
    const start = await settings()
    const law = async (steps: readonly Step[]) => {
      const told = await lived(steps, start)
      await expectBudgets(told)
      await expectKnown(told)
      await expectNothingLost(told)
    }
    await fc.assert(fc.asyncProperty(fc.array(resizing, LONG), law), { numRuns: RUNS })
  })
})
