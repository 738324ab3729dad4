import { expect, test } from 'vitest'
import { seededRandom } from '../src/base/random.ts'
import { DAY, file, HOUR, MINUTE, SECOND } from './agent/job-rig.ts'
import { NaiveSchedule, offsetAt } from './naive-schedule.ts'
import { planned, type Planned } from './scheduler-stage.ts'
import { seeds } from './rounds.ts'

const CRONS = [
  '30 2 * * *',
  '0 9 * * 1-5',
  '15 */6 * * *',
  '0 * * * *',
  '45 1,2,3 * * 0',
  '0 0 1 * *',
  '10 14 13 * 5',
  '*/20 2-3 * * *',
] as const
const ZONES = ['Europe/Berlin', 'America/New_York', 'UTC', 'Asia/Kolkata'] as const
const CATCH_UPS = [
  ['1h', HOUR],
  ['skip', 0],
  ['once', Infinity],
  ['3d', 3 * DAY],
] as const
const IDS = ['a', 'b', 'c', 'd', 'e', 'f'] as const

/** Somebody's life with routines and reminders, and what should come of it. */
class Lived {
  readonly #at: Planned
  readonly #naive: NaiveSchedule
  readonly #random: () => number
  #reminders = 0

  constructor(at: Planned, naive: NaiveSchedule, seed: number) {
    this.#at = at
    this.#naive = naive
    this.#random = seededRandom(seed)
  }

  async act(): Promise<void> {
    const acts = [
      () => this.#write(),
      () => this.#remove(),
      () => this.#remind(),
      () => this.#restart(),
      () => this.#setClock(),
      () => this.#pause(),
      () => this.#resume(),
      () => this.#move(),
    ]
    await this.#pick(acts)()
    const ms = this.#span(MINUTE, this.#pick([HOUR, 12 * HOUR, 3 * DAY]))
    await this.#at.pass(ms)
    this.#naive.pass(ms)
  }

  async #write(): Promise<void> {
    const id = this.#pick(IDS)
    const cron = this.#pick(CRONS)
    const zone = this.#chance(3) ? this.#pick(ZONES) : null
    const [catchUp, catchUpMs] = this.#pick(CATCH_UPS)
    const matter = { cron, 'catch-up': catchUp, background: true, ...(zone !== null && { timezone: zone }) }
    await this.#at.shelf.put(`routines/${id}.md`, file(matter))
    await this.#at.look()
    this.#naive.write(`routine ${id}`, { cron, zone, catchUpMs })
  }

  async #remove(): Promise<void> {
    const id = this.#pick(IDS)
    await this.#at.shelf.remove(`routines/${id}.md`)
    await this.#at.look()
    this.#naive.routines.delete(`routine ${id}`)
  }

  async #remind(): Promise<void> {
    const id = `r${++this.#reminders}`
    const due = Math.floor(this.#naive.now / DAY) * DAY + this.#span(DAY, 20 * DAY) + 30 * SECOND
    const local = new Date(due + offsetAt(this.#naive.zone, due)).toISOString().slice(0, 19)
    // At night a clock may show it twice.
    const isLocal = Number(local.slice(11, 13)) >= 6
    const runAt = isLocal ? local : `${new Date(due).toISOString().slice(0, 19)}Z`
    await this.#at.shelf.put(`reminders/${id}.md`, file({ 'run-at': runAt, background: this.#chance(2) }))
    await this.#at.look()
    this.#naive.reminders.set(`reminder ${id}`, { due })
  }

  async #restart(): Promise<void> {
    const ms = this.#span(MINUTE, this.#pick([2 * HOUR, 5 * DAY]))
    await this.#at.restart(ms)
    this.#naive.restart(ms)
  }

  async #setClock(): Promise<void> {
    const ms = this.#span(MINUTE, this.#pick([2 * HOUR, 4 * DAY])) * (this.#chance(2) ? -1 : 1)
    this.#at.clock.set(ms)
    await this.#at.look()
    this.#naive.set(ms)
  }

  async #pause(): Promise<void> {
    const job = this.#chance(2) ? null : this.#pick(IDS)
    const until = this.#naive.now + this.#span(MINUTE, 2 * DAY)
    await this.#at.pause(job && { what: 'routine', job }, until)
    this.#naive.pause(job === null ? 'all' : `routine ${job}`, until)
  }

  async #resume(): Promise<void> {
    await this.#at.resume(null)
    this.#naive.resume('all')
  }

  async #move(): Promise<void> {
    const zone = this.#pick(ZONES)
    this.#at.settings = { ...this.#at.settings, zone }
    await this.#at.look()
    this.#naive.moveTo(zone)
  }

  #pick<T>(all: readonly T[]): T {
    return all[this.#random() % all.length] as T
  }

  #chance(of: number): boolean {
    return this.#random() % of === 0
  }

  /** Of whole minutes: so nothing happens at the very moment at which something is due. */
  #span(from: number, to: number): number {
    return from + (this.#random() % Math.ceil((to - from) / MINUTE)) * MINUTE
  }
}

/** By job, in the order in which it happened. */
function byJob(lines: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const line of lines) {
    const [what, job, ...rest] = line.split(' ')
    const key = `${what ?? ''} ${job ?? ''}`
    found.set(key, [...(found.get(key) ?? []), rest.join(' ')])
  }
  return new Map([...found].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

async function doneBy(at: Planned): Promise<string[]> {
  return (await at.events()).flatMap((event) => {
    if (event.kind !== 'job-fired' && event.kind !== 'job-skipped') return []
    const how = event.kind === 'job-skipped' ? ` ${event.because}` : event.isLate ? ' late' : ''
    return `${event.what} ${event.job} ${event.due}${how}`
  })
}

test.each(seeds(10))(
  '[JOB1] [JOB3] in a year with two changes of the clock, restarts, a clock that is set, edits and pauses all is fired as it should be, once (seed %i)',
  async (seed) => {
    const start = Date.UTC(2026, 0, 1, 0, 0, 17)
    const at = await planned({ start, zone: 'Europe/Berlin', lookMs: 3 * HOUR })
    const naive = new NaiveSchedule(start, 'Europe/Berlin')
    const lived = new Lived(at, naive, seed)
    let acts = 0
    while (naive.now < Date.UTC(2027, 0, 1)) {
      await lived.act()
      expect(at.clock.now()).toBe(naive.now)
      if (++acts % 100 === 0) expect(byJob(await doneBy(at))).toEqual(byJob(naive.done))
    }
    expect(byJob(await doneBy(at))).toEqual(byJob(naive.done))
    const firings = (await at.events()).filter(({ kind }) => kind === 'job-fired').length
    const runs = (await at.events()).filter(({ kind }) => kind === 'run-started').length
    expect(firings).toBeGreaterThan(1_000)
    expect(runs).toBeGreaterThan(1_000)
    await at.close()
  },
)
