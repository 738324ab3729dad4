import { bisect } from '../base/bisect.ts'
import type { TableRow } from './store.ts'
import { keyOf, type Cell, type Row, type Stretch, type Table } from '../event/table.ts'

/** Rows of any number of tables in memory, in key order. A row put again replaces the one before. */
export class SortedRows {
  readonly #groups = new Map<Table, Map<Cell, Group>>()

  put(table: Table, row: Row): void {
    const key = keyOf(table, row)
    const group = this.#groupToWrite(table, key)
    const last = key.at(-1) ?? null
    const index =
      group.keys.length === 0 || compare(group.keys.at(-1), last) < 0 ? group.keys.length : find(group, last)
    const found = index < group.keys.length && compare(group.keys[index], last) === 0
    group.keys.splice(index, found ? 1 : 0, last)
    group.rows.splice(index, found ? 1 : 0, row)
  }

  row<R extends Row>(table: Table<R>, key: readonly Cell[]): R | undefined {
    if (!this.#groups.has(table)) return undefined
    const group = this.#group(table, key.slice(0, -1))
    if (group === undefined) return undefined
    const last = key.at(-1) ?? null
    const index = find(group, last)
    const found = index < group.keys.length && compare(group.keys[index], last) === 0
    return found ? group.rows[index] : undefined
  }

  rows<R extends Row>(table: Table<R>, stretch: Stretch): readonly R[] {
    if (!this.#groups.has(table)) return NONE
    const group = this.#group(table, stretch.prefix)
    if (group === undefined) return NONE
    const start = stretch.from === undefined ? 0 : find(group, stretch.from)
    const stop = stretch.to === undefined ? group.keys.length : find(group, stretch.to, 1)
    if (stretch.order === 'up') return group.rows.slice(start, Math.min(stop, start + stretch.limit))
    return group.rows.slice(Math.max(start, stop - stretch.limit), Math.max(start, stop)).toReversed()
  }

  all(): TableRow[] {
    const all: TableRow[] = []
    for (const [table, groups] of this.#groups) {
      for (const { rows } of groups.values()) for (const row of rows) all.push({ table, row })
    }
    return all
  }

  #group<R extends Row>(table: Table<R>, prefix: readonly Cell[]): Group<R> | undefined {
    return this.#groups.get(table)?.get(groupName(prefix)) as Group<R> | undefined
  }

  #groupToWrite(table: Table, key: readonly Cell[]): Group {
    const groups = this.#groups.get(table) ?? new Map<Cell, Group>()
    this.#groups.set(table, groups)
    const name = groupName(key.slice(0, -1))
    const group = groups.get(name) ?? { keys: [], rows: [] }
    groups.set(name, group)
    return group
  }
}

const NONE: readonly never[] = []

interface Group<R extends Row = Row> {
  readonly keys: Cell[]
  readonly rows: R[]
}

/** Orders keys as SQLite does: numbers by value, texts by code point of their UTF-8 (ids here are ASCII). */
export function compare(a: Cell | undefined, b: Cell | undefined): number {
  if (a === b) return 0
  return (a ?? 0) < (b ?? 0) ? -1 : 1
}

/** One value for a whole key or for the beginning of one, the same for equal ones. */
export function groupName(cells: readonly Cell[]): Cell {
  if (cells.length <= 1) return cells[0] ?? null
  return JSON.stringify(cells)
}

/** The place of the first key that compares with this one as `order` or higher: 0 for the same key, 1 for later ones. */
function find({ keys }: Group, key: Cell, order = 0): number {
  return bisect(keys.length, (index) => compare(keys[index], key) >= order)
}
