import fc from 'fast-check'
import { limits } from '../../src/base/limits.ts'
import { seededRandom, type Random } from '../../src/base/random.ts'
import { contextProjections } from '../../src/context/fold.ts'
import { messageTable } from '../../src/context/tables.ts'
import { toLine } from '../../src/event/codec.ts'
import type { Event } from '../../src/event/event.ts'
import type { Position } from '../../src/event/id.ts'
import type { Writing } from '../../src/event/table.ts'
import type { Log } from '../../src/log/log.ts'
import { SqliteStore } from '../../src/log/sqlite-store.ts'
import { StoreLog } from '../../src/log/store-log.ts'
import type { Batch, Store } from '../../src/log/store.ts'
import { Comparison } from '../model/compare.ts'
import { operations, type Operation } from '../model/operations.ts'
import { createRoot, perform } from '../model/perform.ts'
import { Trial } from '../model/trial.ts'
import { makeDisk, openAsDoctor, type Disk, type DiskKind } from './disk.ts'
import { Happenings } from './happenings.ts'
import { isFull, Killed, MortalStore, type Fate, type Surroundings } from './mortal-store.ts'
import { checkRebuild } from './rebuilding.ts'
import { Visitors } from './visitors.ts'
import { eventsIn, hold, Witness } from './witness.ts'

/** A work that ran: its events, the naive state after it, and its outcome. */
interface Ran {
  readonly end: number
  readonly restore: () => void
  outcome: 'waits' | 'acknowledged' | 'refused'
}

const TASKS = 4
const DAY_MS = 86_400_000
const FOLLOW_EVENTS_MAX = 12
/** How many steps are folded incrementally before everything is folded from scratch. */
const STEPS_BETWEEN_FOLDINGS = 20

/** One seed drives everything: the operations, how many run at once, the clock, and when the process dies. */
export class World implements Surroundings {
  /** The story so far, for whoever investigates a failure. */
  readonly story: string[] = []
  readonly happenings = new Happenings()
  readonly #random: Random
  readonly #disk: Disk
  readonly #script: Operation[]
  readonly #followEventsMax: number
  readonly #trial = new Trial()
  readonly #comparison = new Comparison()
  readonly #visitors: Visitors
  /** Every event ever appended, by position, as it must be found again. */
  #lines: string[] = []
  #ran: Ran[] = []
  #witness = new Witness()
  #worksRun = 0
  #worksCompared = 0
  /** Commits, done or refused, that nobody has looked at yet. */
  #commitsUnseen = 0
  #isClosing = false
  /** Up to where the index is written. */
  #followed = 0
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
    const few = this.#below(FOLLOW_EVENTS_MAX + 1)
    this.#followEventsMax = few === 0 ? limits.followEventsMax : few
    this.story.push(`-- the index follows by up to ${this.#followEventsMax} events --`)
    this.#visitors = new Visitors(this.#random, this.happenings)
    this.#store = this.#disk.open()
    this.#mortal = new MortalStore(this.#store, this)
    this.#log = this.#openLog(this.#mortal)
    this.#visitors.come(this.#store)
  }

  /** Runs to the end of the script in as many lives as it takes. Throws when a law is broken. */
  async run(): Promise<void> {
    await this.#begin()
    while (this.#script.length > 0) {
      await Promise.all(Array.from({ length: TASKS }, () => this.#task()))
      if (this.#mortal.isDead || this.#isClosing) await this.#restart()
    }
    this.#isClosing = true
    await this.#restart()
    await this.#visitors.leave()
    await this.#log.close()
  }

  remove(): void {
    this.#disk.remove()
  }

  async #begin(): Promise<void> {
    while (this.#trial.ids.length === 0) {
      await this.#attempt('main begins', (writing) => createRoot(this.#trial, writing, 'main'))
      if (this.#mortal.isDead) await this.#restart()
    }
  }

  /** One of several actors at the same time: people in their channels, models in their turns, policies. */
  async #task(): Promise<void> {
    while (!this.#mortal.isDead && !this.#isClosing) {
      await this.#pause()
      const end = this.#below(90)
      if (end === 0) return this.#drop()
      if (end === 1) this.#isClosing = true
      const burst = this.#script.splice(-1 - this.#below(3)).toReversed()
      if (burst.length === 0) return
      await Promise.all(burst.map((operation) => this.#act(operation)))
    }
  }

  /** Whoever finds the disk full tries again later, or gives up. */
  async #act(operation: Operation): Promise<void> {
    const done = await this.#attempt(JSON.stringify(operation), (writing) => {
      this.#moveClock()
      perform(this.#trial, writing, operation)
    })
    if (done === 'full' && this.#below(2) === 0) this.#script.push(operation)
  }

  /** Writes, and notes what was appended and whether it was acknowledged. Neither death nor a full disk is a failure. */
  async #attempt(what: string, work: (writing: Writing) => void): Promise<'done' | 'dead' | 'full'> {
    let ran: Ran | undefined
    const mortal = this.#mortal
    try {
      await this.#log.write((writing) => {
        if (mortal.isDead) throw new Killed('works that were queued die with their process')
        this.story.push(what)
        const before = writing.end
        work(writing)
        this.#note(writing, before)
        ran = { end: writing.end, restore: this.#trial.snapshot(), outcome: 'waits' }
        this.#ran.push(ran)
      })
    } catch (error) {
      if (error instanceof Killed) return 'dead'
      if (!isFull(error)) throw error
      hold(ran?.outcome === 'refused', `[LOG2] '${what}' heard of a full disk that was not`)
      await this.#compare()
      return 'full'
    }
    hold(ran?.outcome === 'waits', `[LOG3] '${what}' was acknowledged, but is ${ran?.outcome}`)
    ran.outcome = 'acknowledged'
    await this.#compare()
    return 'done'
  }

  #note(writing: Writing, before: number): void {
    this.#worksRun++
    this.#lines.length = before
    for (let at = before + 1; at <= writing.end; at++) this.#lines.push(toLine(writing.event(at as Position)))
  }

  #drop(): void {
    this.story.push('-- the process is dropped --')
    this.happenings.add('kills')
    this.#mortal.isDead = true
  }

  /** The first of a group that hears of its commit compares at once, before there can be another. */
  async #compare(): Promise<void> {
    if (this.#mortal.isDead || this.#worksCompared === this.#worksRun) return
    hold(this.#commitsUnseen <= 1, `nobody looked between ${this.#commitsUnseen} commits`)
    this.#worksCompared = this.#worksRun
    this.#commitsUnseen = 0
    await this.#log.read((reader) => {
      this.#witness.compare(reader, this.#store)
      this.happenings.add('steps compared with their folding')
      if (this.#below(3) === 0) this.#witness.compareByKey(reader)
      if (this.#below(STEPS_BETWEEN_FOLDINGS) === 0) {
        this.#witness.compareWhole(reader, eventsIn(this.#store))
        this.happenings.add('foldings from nothing')
      }
      this.#comparison.compare(this.#trial, reader)
      this.#visitors.visit(this.#witness.state)
    })
    await this.#visitors.compare()
  }

  /** After a kill, or after the log was closed properly. */
  async #restart(): Promise<void> {
    const isKilled = this.#mortal.isDead
    const { end, followed } = this.#store
    const isPartial = followed > 0 && followed < end
    this.happenings.add('restarts')
    if (isPartial) this.happenings.add('restarts with a part of the index written')
    if (isKilled) {
      await this.#visitors.leave()
      this.#disk.afterKill(this.#store)
    } else await this.#log.close()
    this.#isClosing = false
    const doctorIsFirst = this.#below(2) === 0
    if (doctorIsFirst) await this.#rebuildClosed(isPartial)
    this.#store = this.#disk.open()
    this.#mortal = new MortalStore(this.#store, this)
    this.#log = this.#openLog(this.#mortal)
    this.#followed = this.#store.followed
    this.story.push(`-- restart after ${isKilled ? 'a kill' : 'closing'}, the log ends at ${end} --`)
    this.#takeBack()
    await this.#compareAll()
    if (!doctorIsFirst) await this.#rebuildOpen()
    this.#visitors.come(this.#store)
    while (this.#trial.ids.length > 0 && !this.#mortal.isDead) {
      const work = (writing: Writing) => perform(this.#trial, writing, { do: 'recover' })
      if ((await this.#attempt('recover', work)) === 'done') break
    }
    if (this.#mortal.isDead) await this.#restart()
  }

  /** LOG2 and LOG3: each work is there whole or not at all, and all acknowledged ones are there. */
  #takeBack(): void {
    const { end } = this.#store
    const promised = this.#ran.findLast((ran) => ran.outcome === 'acknowledged')?.end ?? 0
    hold(end >= promised, `[LOG3] acknowledged up to ${promised}, but the log ends at ${end}`)
    const last = this.#ran.findLast((ran) => ran.end === end)
    hold(last !== undefined || end === 0, `[LOG2] the log ends at ${end}, in the middle of a work`)
    this.#goBackTo(last, end)
    // Knowledge of the dead process: compactions that waited for their text, effects of incomplete steps.
    Object.assign(this.#trial, { plans: [], steps: new Map() })
    this.#comparison.forget()
  }

  /** Resets the naive side to its state after a work, or at the beginning. */
  #goBackTo(last: Ran | undefined, end: number): void {
    this.#ran = last === undefined ? [] : [{ ...last, outcome: 'acknowledged' }]
    this.#lines.length = end
    if (last === undefined) Object.assign(this.#trial, new Trial())
    else last.restore()
  }

  async #rebuildClosed(isPartial: boolean): Promise<void> {
    if (this.#disk.file === undefined) return
    const store = openAsDoctor(this.#disk.file)
    const log = this.#openLog(store)
    await checkRebuild(store, log)
    await log.close()
    this.happenings.add('rebuilds')
    if (isPartial) this.happenings.add('rebuilds with a part of the index written')
  }

  async #rebuildOpen(): Promise<void> {
    if (!(this.#store instanceof SqliteStore)) return
    await checkRebuild(this.#store, this.#log)
    this.happenings.add('rebuilds')
  }

  #openLog(store: Store): Log {
    return new StoreLog(store, contextProjections, { followEventsMax: this.#followEventsMax })
  }

  async #compareAll(): Promise<void> {
    const events: Event[] = []
    for await (const event of this.#log.events()) events.push(event)
    hold(
      events.every((event, index) => event.position === index + 1),
      '[LOG1] the positions have a gap',
    )
    hold(events.length === this.#lines.length, `[LOG1] ${events.length} events, not ${this.#lines.length}`)
    const changed = events.find((event, index) => toLine(event) !== this.#lines[index])
    hold(changed === undefined, `[LOG6] event ${changed?.position} is not what was appended`)
    this.#witness = new Witness()
    this.#commitsUnseen = 0
    await this.#log.read((reader) => {
      this.#witness.compareWhole(reader, events)
      this.#witness.compare(reader, this.#store)
      this.#comparison.compare(this.#trial, reader)
      this.#visitors.visit(this.#witness.state)
    })
    this.happenings.add('foldings from nothing')
    await this.#visitors.compare()
  }

  fate(batch: Batch): Fate {
    this.#checkFlush(batch)
    const fate = this.#chooseFate()
    if (fate !== 'lives')
      this.story.push(`-- this commit${batch.caughtUp ? ', a flush,' : ''} ${told(fate)} --`)
    if (fate === 'dies-before' || fate === 'dies-after') {
      this.happenings.add('kills')
      if (batch.caughtUp)
        this.happenings.add(
          fate === 'dies-before' ? 'kills right before a flush' : 'kills right after a flush',
        )
    }
    return fate
  }

  /** Following rows are written when due, and each of them once. */
  #checkFlush({ events, rows, caughtUp }: Batch): void {
    const behind = this.#store.end + events.length - this.#followed
    const isDue = behind >= this.#followEventsMax
    hold(caughtUp === isDue, `${behind} events behind, the index ${caughtUp ? 'is' : 'is not'} written`)
    const again = rows.find(
      ({ table, row }) => table === messageTable && (!caughtUp || Number(row['position']) <= this.#followed),
    )
    hold(
      again === undefined,
      `a row of the index that is there, or not due, is written: ${again?.row['position']}`,
    )
  }

  during(batch: Batch, commit: () => void): void {
    this.#visitors.during(batch, commit)
  }

  committed(batch: Batch): void {
    this.#commitsUnseen++
    this.happenings.add('commits')
    if (!batch.caughtUp) return
    this.happenings.add('commits that flush the index')
    this.#followed = this.#store.end
  }

  /** LOG2: nothing of the group is there. All of its works must be told, so none of them may count. */
  foundFull(batch: Batch, fate: Fate): void {
    this.#commitsUnseen++
    this.happenings.add('commits on a full disk')
    if (batch.caughtUp) this.happenings.add('flushes on a full disk')
    if (typeof fate === 'object') {
      this.happenings.add('commits that SQLite itself found no room for')
      this.story.push('-- and there was not enough room --')
    }
    for (const ran of this.#ran) if (ran.outcome === 'waits') ran.outcome = 'refused'
    const last = this.#ran.findLast((ran) => ran.outcome === 'acknowledged')
    this.#goBackTo(last, last?.end ?? 0)
  }

  #chooseFate(): Fate {
    const fate = (['dies-before', 'dies-after', 'full'] as const)[this.#below(40)]
    if (fate !== undefined) return fate
    const isFile = this.#disk.file !== undefined
    if (!isFile || this.#below(6) > 0) return 'lives'
    return { pagesLeft: this.#below(2), rowsLeft: this.#below(2) === 0 ? Infinity : this.#below(8) }
  }

  /** Mostly it advances a little; sometimes it jumps by days, even back. */
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

function told(fate: Fate): string {
  return typeof fate === 'object'
    ? `has room for ${fate.pagesLeft} pages, ${fate.rowsLeft} rows`
    : `meets its fate: ${fate}`
}
