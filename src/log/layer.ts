import type { Event } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import {
  keyOf,
  type Cell,
  type Reader,
  type Row,
  type Stretch,
  type Table,
  type Writer,
} from '../event/table.ts'
import { compare, SortedRows } from './sorted-rows.ts'

/** Changed rows over a reader that does not have them yet. */
export class Layer implements Writer {
  readonly changed = new SortedRows()
  readonly #below: Reader

  constructor(below: Reader) {
    this.#below = below
  }

  get end(): number {
    return this.#below.end
  }

  event(position: Position): Event {
    return this.#below.event(position)
  }

  row(table: Table, key: readonly Cell[]): Row | undefined {
    return this.changed.row(table, key) ?? this.#below.row(table, key)
  }

  rows(table: Table, stretch: Stretch): readonly Row[] {
    const own = this.changed.rows(table, stretch)
    const below = this.#below.rows(table, stretch)
    return own.length === 0 ? below : merge(table, { own, below, stretch })
  }

  put(table: Table, row: Row): void {
    this.changed.put(table, row)
  }
}

function merge(
  table: Table,
  { own, below, stretch }: { own: readonly Row[]; below: readonly Row[]; stretch: Stretch },
): readonly Row[] {
  const lastKey = (row: Row): Cell => keyOf(table, row).at(-1) ?? null
  const merged = new Map<Cell, Row>()
  for (const row of below) merged.set(lastKey(row), row)
  for (const row of own) merged.set(lastKey(row), row)
  const sign = stretch.order === 'up' ? 1 : -1
  return [...merged.values()]
    .toSorted((a, b) => sign * compare(lastKey(a), lastKey(b)))
    .slice(0, stretch.limit)
}
