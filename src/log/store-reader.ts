import { fromStored } from '../event/codec.ts'
import type { Event } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import type { Cell, Reader, Row, Stretch, Table } from '../event/table.ts'
import { LogError } from './log.ts'
import type { Store } from './store.ts'

const VERSIONS_KEPT = 128

/** Reads a store the way works see it: events are checked and brought to their newest version. */
export class StoreReader implements Reader {
  readonly #store: Store
  /** Versions of lists can be long and are read at every act. Events never change, so they can be cached. */
  readonly #versions = new Map<Position, Event>()

  constructor(store: Store) {
    this.#store = store
  }

  get end(): number {
    return this.#store.end
  }

  event(position: Position): Event {
    const known = this.#versions.get(position)
    if (known !== undefined) {
      // Moved to the end: the oldest entry is dropped first.
      this.#versions.delete(position)
      this.#versions.set(position, known)
      return known
    }
    const stored = this.#store.event(position)
    if (stored === undefined) {
      throw new LogError('damaged', `event ${position} is missing from the log, which ends at ${this.end}`)
    }
    const event = fromStored(stored)
    this.keep(event)
    return event
  }

  /** Remembers an event that is likely to be asked for again. */
  keep(event: Event): void {
    if (event.kind === 'message-added') return
    if (this.#versions.size >= VERSIONS_KEPT)
      this.#versions.delete(this.#versions.keys().next().value as Position)
    this.#versions.set(event.position, event)
  }

  row<R extends Row>(table: Table<R>, key: readonly Cell[]): R | undefined {
    return this.#store.row(table, key) as R | undefined
  }

  rows<R extends Row>(table: Table<R>, stretch: Stretch): readonly R[] {
    return this.#store.rows(table, stretch) as readonly R[]
  }
}
