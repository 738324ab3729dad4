import type { StoredEvent } from '../event/codec.ts'
import type { Cell, Row, Stretch, Table } from '../event/table.ts'
import type { Query } from './log.ts'

/** A backend: durable events and rows. Everything above it is shared by all backends. */
export interface Store {
  /** Position of the newest durable event, 0 when there is none. */
  readonly end: number
  /** Position up to which the rows of the projections that follow are durable. */
  readonly followed: number
  /** The store has events only: every projection is folded in memory, as those that follow are. */
  readonly isRowless?: boolean
  /** How often to look for events that another process wrote; undefined when only this process writes. */
  readonly pollMs?: number | undefined
  event(position: number): StoredEvent | undefined
  /** The first `limit` events that match, in order. */
  page(query: Query, limit: number): readonly StoredEvent[]
  row(table: Table, key: readonly Cell[]): Row | undefined
  rows(table: Table, stretch: Stretch): readonly Row[]
  /** Runs `work` on one state of the store, whatever another process writes meanwhile. */
  snapshot<T>(work: () => T): T
  /** All of it becomes durable, or none of it and this throws. */
  commit(batch: Batch): void
  close(): void
}

export interface TableRow {
  readonly table: Table
  readonly row: Row
}

export interface Batch {
  readonly events: readonly StoredEvent[]
  readonly rows: readonly TableRow[]
  /** Set when the rows bring the projections that follow up to the batch's last event. */
  readonly caughtUp: boolean
}
