import { limits } from '../base/limits.ts'
import { fromStored } from '../event/codec.ts'
import type { Projection, Reader, Table } from '../event/table.ts'
import { Layer } from './layer.ts'
import { LogError } from './log.ts'
import type { Staged } from './staged.ts'
import { StoreReader } from './store-reader.ts'
import type { Store, TableRow } from './store.ts'

/** Keeps rows that may lag behind the log in memory; after a crash they are folded again from the events. */
export class Followers {
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
    this.#projections = projections.filter(({ follows }) => follows)
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
