import type { Event } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import type { Cell, Reader, Row, Stretch, Table, Writer } from '../event/table.ts'
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

  row<R extends Row>(table: Table<R>, key: readonly Cell[]): R | undefined {
    return this.changed.row(table, key) ?? this.#below.row(table, key)
  }

  rows<R extends Row>(table: Table<R>, stretch: Stretch): readonly R[] {
    const own = this.changed.rows(table, stretch)
    const below = this.#below.rows(table, stretch)
    return own.length === 0 ? below : merge(table, { own, below, stretch })
  }

  put<R extends Row>(table: Table<R>, row: NoInfer<R>): void {
    this.changed.put(table, row)
  }
}

/** Two runs in the stretch's order become one; of two rows with the same key the own one counts. */
function merge<R extends Row>(
  table: Table<R>,
  { own, below, stretch }: { own: readonly R[]; below: readonly R[]; stretch: Stretch },
): readonly R[] {
  const column = table.key.at(-1)?.name ?? ''
  const sign = stretch.order === 'up' ? 1 : -1
  const merged: R[] = []
  let mine = 0
  let theirs = 0
  while (merged.length < stretch.limit) {
    const [a, b] = [own[mine], below[theirs]]
    const order = a && b ? sign * compare(a[column], b[column]) : 0
    const next = a && (b === undefined || order <= 0) ? a : b
    if (next === undefined) break
    merged.push(next)
    if (next === a) mine++
    if (next === b || (b !== undefined && a !== undefined && order === 0)) theirs++
  }
  return merged
}
