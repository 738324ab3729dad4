import { limits } from '../base/limits.ts'
import { fromStored } from '../event/codec.ts'
import type { Event } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import type { Cell, Projection, Reader, Row, Stretch, Table } from '../event/table.ts'
import { LogError, type Log, type Query, type Writing } from './log.ts'
import { Staged } from './staged.ts'
import type { Store } from './store.ts'

interface Waiting {
  readonly work: (writing: Writing) => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** The log's contract over any store: one queue of works, one commit for all that wait at the same moment. */
export class StoreLog implements Log {
  readonly #reader: StoreReader
  readonly #store: Store
  readonly #projections: readonly Projection[]
  #queue: Waiting[] = []
  #flushing = false
  #closed = false

  constructor(store: Store, projections: readonly Projection[]) {
    this.#store = store
    this.#projections = projections
    this.#reader = new StoreReader(store)
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
    return work(this.#reader)
  }

  async *events(query: Query = {}): AsyncGenerator<Event> {
    let after = query.after ?? 0
    while (!this.#closed) {
      const page = this.#store.page({ ...query, after }, limits.pageEvents)
      for (const stored of page) yield fromStored(stored)
      const last = page.at(-1)
      if (last === undefined || page.length < limits.pageEvents) return
      after = last.position
      await new Promise(setImmediate)
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    while (this.#queue.length > 0) this.#flush()
    this.#closed = true
    this.#store.close()
  }

  #schedule(): void {
    if (this.#flushing) return
    this.#flushing = true
    // After everything that is ready to run now: whoever wants to write at this moment shares the commit.
    setImmediate(() => {
      this.#flushing = false
      this.#flush()
      if (this.#queue.length > 0) this.#schedule()
    })
  }

  #flush(): void {
    const group = this.#queue.splice(0, limits.groupWritesMax)
    const staged = new Staged(this.#reader, this.#projections)
    const done: { waiting: Waiting; value: unknown }[] = []
    for (const waiting of group) {
      const layer = new Staged(staged, this.#projections)
      try {
        const value = waiting.work(layer)
        layer.mergeInto(staged)
        done.push({ waiting, value })
      } catch (error) {
        waiting.reject(error)
      }
    }
    try {
      if (staged.events.length > 0) this.#store.commit({ events: staged.stored, rows: staged.changed.all() })
      for (const { waiting, value } of done) waiting.resolve(value)
    } catch (error) {
      for (const { waiting } of done) waiting.reject(error)
    }
  }
}

/** Reads a store as the works see it: events checked and brought to their newest version. */
export class StoreReader implements Reader {
  readonly #store: Store
  constructor(store: Store) {
    this.#store = store
  }

  get end(): number {
    return this.#store.end
  }

  event(position: Position): Event {
    const stored = this.#store.event(position)
    if (stored === undefined) {
      throw new LogError('damaged', `event ${position} is missing from the log, which ends at ${this.end}`)
    }
    return fromStored(stored)
  }

  row(table: Table, key: readonly Cell[]): Row | undefined {
    return this.#store.row(table, key)
  }

  rows(table: Table, stretch: Stretch): readonly Row[] {
    return this.#store.rows(table, stretch)
  }
}

function closedError(): LogError {
  return new LogError('closed', 'the log is closed')
}
