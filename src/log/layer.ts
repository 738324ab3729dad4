import type { Event } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import type { Cell, Reader, Row, Stretch, Table, Writer } from '../event/table.ts'
import { compare, SortedRows } from './sorted-rows.ts'

/** Changed rows over a reader that does not have them yet. */
export class Layer implements Writer {
  readonly changed = new SortedRows()
  protected readonly below: Reader

  constructor(below: Reader) {
    this.below = below
  }

  get end(): number {
    return this.below.end
  }

  event(position: Position): Event {
    return this.below.event(position)
  }

  row<R extends Row>(table: Table<R>, key: readonly Cell[]): R | undefined {
    return this.changed.row(table, key) ?? this.below.row(table, key)
  }

  rows<R extends Row>(table: Table<R>, stretch: Stretch): readonly R[] {
    const own = this.changed.rows(table, stretch)
    const below = this.below.rows(table, stretch)
    if (own.length === 0) return below
    const column = table.key.at(-1)?.name ?? ''
    const sign = stretch.order === 'up' ? 1 : -1
    // Of two rows with the same key the own one counts.
    const byKey = new Map([...below, ...own].map((row) => [row[column], row]))
    const sorted = [...byKey.values()].toSorted((a, b) => sign * compare(a[column], b[column]))
    return sorted.slice(0, stretch.limit)
  }

  put<R extends Row>(table: Table<R>, row: NoInfer<R>): void {
    this.changed.put(table, row)
  }
}
