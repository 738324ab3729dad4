import type { Event } from './event.ts'
import type { Position } from './id.ts'

/**
 * Derived tables: rows folded from events, written in the same transaction as the event, rebuildable from the
 * log alone. A projection describes its tables; every log keeps them in its own way.
 */
export type Cell = string | number | null
export type Row = Readonly<Record<string, Cell>>

export interface Table {
  readonly name: string
  /** Key columns; rows are ordered by the last one among those that share the ones before it. */
  readonly key: readonly Column[]
  readonly values: readonly Column[]
}

export interface Column {
  readonly name: string
  readonly type: 'text' | 'integer'
}

/** A stretch of one table: all key columns but the last are fixed, the last runs from `from` to `to`. */
export interface Stretch {
  readonly prefix: readonly Cell[]
  readonly from?: Cell
  readonly to?: Cell
  readonly order: 'up' | 'down'
  readonly limit: number
}

export interface Reader {
  /** Position of the newest event; 0 when there is none. */
  readonly end: number
  event(position: Position): Event
  row(table: Table, key: readonly Cell[]): Row | undefined
  rows(table: Table, stretch: Stretch): readonly Row[]
}

export interface Writer extends Reader {
  put(table: Table, row: Row): void
}

export interface Projection {
  readonly name: string
  /** Raised when the rows it makes change; the log then folds them again from the events. */
  readonly version: number
  readonly tables: readonly Table[]
  /** Its rows may be written a few events later; until then they are folded again when the log is opened. */
  readonly follows?: true
  apply(event: Event, writer: Writer): void
}

export function keyOf(table: Table, row: Row): Cell[] {
  return table.key.map((column) => row[column.name] ?? null)
}
