import fc from 'fast-check'
import { seededRandom, type Random } from '../../src/base/random.ts'
import { contextProjections } from '../../src/context/projections.ts'
import { toLine } from '../../src/event/codec.ts'
import type { Event } from '../../src/event/event.ts'
import type { Position } from '../../src/event/id.ts'
import type { Log, Writing } from '../../src/log/log.ts'
import { StoreLog } from '../../src/log/store-log.ts'
import type { Store } from '../../src/log/store.ts'
import { Comparison } from '../model/compare.ts'
import { dump, foldAgain } from '../model/dump.ts'
import { operations, type Operation } from '../model/operations.ts'
import { createRoot, perform } from '../model/perform.ts'
import { Trial } from '../model/trial.ts'
import { makeDisk, type Disk, type DiskKind } from './disk.ts'
import { Killed, MortalStore, type Fate } from './mortal-store.ts'

/** A work that ran: what it appended, and the naive state after it. */
interface Ran {
  readonly end: number
  readonly restore: () => void
  acknowledged: boolean
}

const TASKS = 4
const DAY_MS = 86_400_000

/** One seed drives everything: what is done, by how many at once, what the clock shows, and when the process dies. */
export class World {
  /** What happened so far, for whoever has to find out what went wrong. */
  readonly story: string[] = []
  readonly #random: Random
  readonly #disk: Disk
  readonly #script: Operation[]
  readonly #trial = new Trial()
  readonly #comparison = new Comparison()
  /** Every event that was ever appended, by position, as it must be found again. */
  #lines: string[] = []
  #ran: Ran[] = []
  #store: Store
  #mortal: MortalStore
  #log: Log

  constructor(seed: number, kind: DiskKind) {
    this.#random = seededRandom(seed)
    this.#disk = makeDisk(kind)
    const scripts = fc.sample(operations, {
      seed: this.#random() | 0,
      numRuns: 1 + this.#below(kind === 'sqlite' ? 2 : 3),
    })
    this.#script = scripts.flat().toReversed()
    this.#store = this.#disk.open()
    this.#mortal = new MortalStore(this.#store, () => this.#fate())
    this.#log = new StoreLog(this.#mortal, contextProjections)
  }

  /** Runs to the end of the script through as many lives as it takes. Throws when a law is broken. */
  async run(): Promise<void> {
    await this.#begin()
    while (this.#script.length > 0) {
      await Promise.all(Array.from({ length: TASKS }, () => this.#task()))
      if (this.#mortal.isDead) await this.#restartAfterKill()
    }
    await this.#log.close()
    this.#open(this.#disk.open())
    await this.#checkAll()
    await this.#log.close()
  }

  remove(): void {
    this.#disk.remove()
  }

  async #begin(): Promise<void> {
    while (this.#trial.ids.length === 0) {
      await this.#attempt('main begins', (writing) => createRoot(this.#trial, writing, 'main'))
      if (this.#mortal.isDead) await this.#restartAfterKill()
    }
  }

  /** One of those who act at the same time: people in their channels, models in their turns, policies. */
  async #task(): Promise<void> {
    while (!this.#mortal.isDead) {
      await this.#pause()
      if (this.#below(60) === 0) return this.#drop()
      const burst = this.#script.splice(-1 - this.#below(3)).toReversed()
      if (burst.length === 0) return
      await Promise.all(burst.map((operation) => this.#act(operation)))
    }
  }

  async #act(operation: Operation): Promise<void> {
    await this.#attempt(JSON.stringify(operation), (writing) => {
      this.#moveClock()
      perform(this.#trial, writing, operation)
    })
    if (!this.#mortal.isDead) await this.#log.read((reader) => this.#comparison.compare(this.#trial, reader))
  }

  /** Writes, and notes what was appended and whether it was acknowledged. Death is no failure. */
  async #attempt(what: string, work: (writing: Writing) => void): Promise<void> {
    let ran: Ran | undefined
    const mortal = this.#mortal
    try {
      await this.#log.write((writing) => {
        if (mortal.isDead) throw new Killed('works that were queued die with their process')
        this.story.push(what)
        const before = writing.end
        work(writing)
        this.#note(writing, before)
        ran = { end: writing.end, restore: this.#trial.snapshot(), acknowledged: false }
        this.#ran.push(ran)
      })
      if (ran !== undefined) ran.acknowledged = true
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
  }

  #note(writing: Writing, before: number): void {
    this.#lines.length = before
    for (let at = before + 1; at <= writing.end; at++) this.#lines.push(toLine(writing.event(at as Position)))
  }

  #drop(): void {
    this.story.push('-- the process is dropped --')
    this.#mortal.isDead = true
  }

  /** LOG2 and LOG3: each work is there whole or not at all, and those that were acknowledged are there. */
  async #restartAfterKill(): Promise<void> {
    this.#disk.afterKill(this.#store)
    this.#open(this.#disk.open())
    const { end } = this.#store
    this.story.push(`-- restart, the log ends at ${end} --`)
    const promised = this.#ran.findLast((ran) => ran.acknowledged)?.end ?? 0
    hold(end >= promised, `[LOG3] acknowledged up to ${promised}, but the log ends at ${end}`)
    const last = this.#ran.findLast((ran) => ran.end === end)
    hold(last !== undefined || end === 0, `[LOG2] the log ends at ${end}, in the middle of a work`)
    this.#comparison.forget()
    this.#ran = last === undefined ? [] : [{ ...last, acknowledged: true }]
    this.#lines.length = end
    if (last === undefined) Object.assign(this.#trial, new Trial())
    else last.restore()
    // What only the dead process knew: compactions that waited for their text, effects of half steps.
    Object.assign(this.#trial, { plans: [], steps: new Map() })
    await this.#checkAll()
    if (this.#trial.ids.length > 0) await this.#act({ do: 'recover' })
    if (this.#mortal.isDead) await this.#restartAfterKill()
  }

  #open(store: Store): void {
    this.#store = store
    this.#mortal = new MortalStore(store, () => this.#fate())
    this.#log = new StoreLog(this.#mortal, contextProjections)
  }

  async #checkAll(): Promise<void> {
    const events: Event[] = []
    for await (const event of this.#log.events()) events.push(event)
    hold(
      events.every((event, index) => event.position === index + 1),
      '[LOG1] the positions have a gap',
    )
    hold(events.length === this.#lines.length, `[LOG1] ${events.length} events, not ${this.#lines.length}`)
    const changed = events.find((event, index) => toLine(event) !== this.#lines[index])
    hold(changed === undefined, `[LOG6] event ${changed?.position} is not what was appended`)
    const [live, folded] = [await this.#log.read(dump), dump(foldAgain(events))]
    hold(live === folded, '[CTX2] the state after a restart is not what the log folds to')
    await this.#log.read((reader) => this.#comparison.compare(this.#trial, reader))
  }

  #fate(): Fate {
    const fate = (['dies-before', 'dies-after'] as const)[this.#below(30)] ?? 'lives'
    if (fate !== 'lives') this.story.push(`-- the process ${fate} this commit --`)
    return fate
  }

  /** Mostly it goes on by a little; sometimes it jumps by days, also back. */
  #moveClock(): void {
    const days = this.#below(20) === 0 ? this.#below(21) - 10 : 0
    this.#trial.now += days * DAY_MS + this.#below(5_000)
  }

  async #pause(): Promise<void> {
    for (let hops = this.#below(4); hops > 0; hops--) await Promise.resolve()
    if (this.#below(3) === 0) await new Promise(setImmediate)
  }

  #below(limit: number): number {
    return this.#random() % limit
  }
}

function hold(condition: boolean, law: string): asserts condition {
  if (!condition) throw new Error(law)
}
