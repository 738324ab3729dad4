import { limits } from '../base/limits.ts'
import { fromStored } from '../event/codec.ts'
import type { Event } from '../event/event.ts'
import type { Projection, Reader, Table, Writing } from '../event/table.ts'
import { Layer } from './layer.ts'
import { LogError, type Log, type Query } from './log.ts'
import { Staged } from './staged.ts'
import { StoreReader } from './store-reader.ts'
import type { Store, TableRow } from './store.ts'

const BURST_MAX = 100
const READY = Promise.resolve()

interface Waiting {
  readonly work: (writing: Writing) => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

export interface StoreLogOptions {
  /** How many events the rows of following projections may lag behind; tests use few. */
  readonly followEventsMax?: number
  /** On a full disk works wait, in order, until there is room again, instead of being rejected. */
  readonly room?: {
    /** Called when the disk is full, and with undefined once it has room again. */
    readonly onFull: (full: LogError | undefined) => void
    /** Nobody waits any longer. */
    readonly signal: AbortSignal
  }
}

/** How often a full disk is tried again. */
const ROOM_MS = 500

/** The log's contract over any store: one queue of works, one commit for all that wait at the same moment. */
export class StoreLog implements Log {
  readonly #store: Store
  readonly #projections: readonly Projection[]
  readonly #followers: Followers
  readonly #room: StoreLogOptions['room']
  #queue: Waiting[] = []
  #scheduled = false
  #isFull = false
  #burst = 0
  #closed = false
  #isClosing = false
  /** Woken at every commit and when the log closes. */
  readonly #asleep = new Set<() => void>()

  constructor(
    store: Store,
    projections: readonly Projection[],
    { followEventsMax = limits.followEventsMax, room }: StoreLogOptions = {},
  ) {
    this.#room = room
    room?.signal.addEventListener('abort', this.#flushNext)
    this.#store = store
    this.#projections = projections
    this.#followers = new Followers(store, projections, followEventsMax)
  }

  write<T>(work: (writing: Writing) => T): Promise<T> {
    if (this.#closed) return Promise.reject(closedError())
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject })
      this.#schedule()
    })
  }

  async read<T>(work: (reader: Reader) => T): Promise<T> {
    if (this.#closed) throw closedError()
    return this.#store.snapshot(() => work(this.#followers.reader()))
  }

  async *events(query: Query = {}): AsyncGenerator<Event> {
    let after = query.after ?? 0
    const { upTo: last = Infinity } = query
    while (!this.#closed && after < Math.min(last, this.#store.end)) {
      // No index helps to find a branch or a kind: what is looked through at once is bounded too.
      const upTo = Math.min(last, after + limits.scanEvents)
      const page = this.#store.page({ ...query, after, upTo }, limits.pageEvents)
      for (const stored of page) yield fromStored(stored)
      after = page.length === limits.pageEvents ? (page.at(-1)?.position ?? upTo) : upTo
      await new Promise(setImmediate)
    }
  }

  async *follow(after: number, signal: AbortSignal): AsyncGenerator<Event> {
    const isOver = (): boolean => this.#closed || signal.aborted
    for (let last = after; !isOver();) {
      const page = this.#store.page({ after: last }, limits.pageEvents)
      for (const stored of page) {
        if (isOver()) return
        yield fromStored(stored)
        last = stored.position
      }
      // No other code has run since the empty page was read, so no commit can be missed.
      if (page.length === 0) await this.#change(signal)
      else if (page.length === limits.pageEvents) await new Promise(setImmediate)
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#isClosing = true
    while (this.#queue.length > 0) this.#flush()
    this.#closed = true
    this.#store.close()
    this.#wake()
  }

  /** Resolves when there may be new events, when the log closes, and when `signal` aborts. */
  #change(signal: AbortSignal): Promise<void> {
    const { pollMs } = this.#store
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#asleep.delete(wake)
        signal.removeEventListener('abort', wake)
        clearTimeout(timer)
        resolve()
      }
      this.#asleep.add(wake)
      signal.addEventListener('abort', wake)
      const timer = pollMs === undefined ? undefined : setTimeout(wake, pollMs)
    })
  }

  #wake(): void {
    for (const wake of this.#asleep) wake()
  }

  /**
   * The commit runs after everything that is ready to write now, so that they share it. Mostly that is a hop of
   * the microtask queue; every few commits it is a turn of the event loop, or a busy writer would starve timers
   * and sockets.
   */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    if (this.#isFull) return void setTimeout(this.#flushNext, ROOM_MS)
    if (++this.#burst < BURST_MAX) {
      void READY.then(this.#flushNext)
      return
    }
    this.#burst = 0
    setImmediate(this.#flushNext)
  }

  readonly #flushNext = (): void => {
    this.#scheduled = false
    this.#flush()
    if (this.#queue.length > 0) this.#schedule()
  }

  #flush(): void {
    const group = this.#queue.splice(0, limits.groupWritesMax)
    if (group.length === 0) return
    let done: { waiting: Waiting; value: unknown }[] = []
    try {
      const staged = new Staged(this.#followers.reader(), this.#projections)
      done = this.#doAll(group, staged)
      if (done.length > 0 && staged.events.length > 0) {
        this.#followers.commit(staged)
        this.#wake()
        if (this.#isFull) this.#room?.onFull(undefined)
        this.#isFull = false
      }
      for (const { waiting, value } of done) waiting.resolve(value)
    } catch (error) {
      if (done.length > 0 && this.#waitsForRoom(error))
        return void this.#queue.unshift(...done.map(({ waiting }) => waiting))
      // Reading can fail too, and a write must never wait forever. Rejecting one that was answered does nothing.
      for (const waiting of group) waiting.reject(error)
    }
  }

  /** What is written waits in the queue, in front of everything that comes after it. */
  #waitsForRoom(error: unknown): boolean {
    const room = this.#room
    if (room === undefined || room.signal.aborted || this.#isClosing) return false
    if (!(error instanceof LogError) || error.code !== 'full') return false
    if (!this.#isFull) room.onFull(error)
    this.#isFull = true
    return true
  }

  #doAll(group: readonly Waiting[], staged: Staged): { waiting: Waiting; value: unknown }[] {
    const done: { waiting: Waiting; value: unknown }[] = []
    for (const waiting of group) {
      // A single work writes to the group's layer directly: if it throws, the whole layer is dropped.
      const layer = group.length === 1 ? staged : new Staged(staged, this.#projections)
      try {
        const value = waiting.work(layer)
        if (layer !== staged) layer.mergeInto(staged)
        done.push({ waiting, value })
      } catch (error) {
        waiting.reject(error)
      }
    }
    return done
  }
}

function closedError(): LogError {
  return new LogError('closed', 'the log is closed')
}

/** Keeps rows that may lag behind the log in memory; after a crash they are folded again from the events. */
class Followers {
  readonly #store: Store
  readonly #reader: StoreReader
  readonly #projections: readonly Projection[]
  readonly #tables: ReadonlySet<Table>
  readonly #eventsMax: number
  #ahead: Layer
  #folded: number

  /** Rows wait until they are `eventsMax` events behind. */
  constructor(store: Store, projections: readonly Projection[], eventsMax: number) {
    this.#store = store
    this.#eventsMax = eventsMax
    this.#reader = new StoreReader(store)
    this.#projections = projections.filter(({ follows }) => follows || store.isRowless)
    this.#tables = new Set(this.#projections.flatMap(({ tables }) => tables))
    this.#ahead = new Layer(this.#reader)
    this.#folded = store.followed
  }

  /** Reads what is durable, with the following rows folded up to its end. */
  reader(): Reader {
    const { end, followed } = this.#store
    if (followed > this.#folded) {
      // Another process wrote the rows meanwhile.
      this.#ahead = new Layer(this.#reader)
      this.#folded = followed
    }
    while (this.#folded < end) {
      const page = this.#store.page({ after: this.#folded }, limits.pageEvents)
      if (page.length === 0) {
        throw new LogError('damaged', `the log ends at ${end}, but nothing follows event ${this.#folded}`)
      }
      for (const stored of page) {
        const event = fromStored(stored)
        for (const projection of this.#projections) projection.apply(event, this.#ahead)
        this.#folded = event.position
      }
    }
    return this.#ahead
  }

  /** Makes staged events durable with their rows. Following rows are written once there are enough of them. */
  commit({ events, stored, changed }: Staged): void {
    const caughtUp = this.#store.end + events.length - this.#store.followed >= this.#eventsMax
    const ahead: TableRow[] = []
    const now: TableRow[] = caughtUp ? this.#ahead.changed.all() : []
    for (const changedRow of changed.all()) {
      const waits = !caughtUp && this.#tables.has(changedRow.table)
      ;(waits ? ahead : now).push(changedRow)
    }
    this.#store.commit({ events: stored, rows: now, caughtUp })
    this.#folded += events.length
    for (const event of events) this.#reader.keep(event)
    if (caughtUp) this.#ahead = new Layer(this.#reader)
    for (const { table, row } of ahead) this.#ahead.put(table, row)
  }
}
