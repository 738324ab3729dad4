import { keyOf, type Cell, type Row, type Table } from '../event/table.ts'
import { compare, groupName } from './sorted-rows.ts'

const ENTRIES_MAX = 4_096

/**
 * Recently used rows: single ones, and the newest of a group. Every append reads the same few. Only a store that is the
 * one writer of its rows may use it, because it also remembers that a row does not exist.
 */
export class RowCache {
  readonly #single = new Map<Table, Known>()
  readonly #newest = new Map<Table, Known>()

  row(table: Table, key: readonly Cell[], read: () => Row | undefined): Row | undefined {
    return remember(knownOf(this.#single, table), groupName(key), read)
  }

  newest(table: Table, prefix: readonly Cell[], read: () => Row | undefined): Row | undefined {
    return remember(knownOf(this.#newest, table), groupName(prefix), read)
  }

  put(table: Table, row: Row): void {
    const key = keyOf(table, row)
    const singles = this.#single.get(table)
    if (singles !== undefined) keep(singles, groupName(key), row)
    const newest = this.#newest.get(table)
    if (newest === undefined) return
    const last = key.pop()
    const group = groupName(key)
    if (!newest.has(group)) return
    const known = newest.get(group)
    if (known === undefined || compare(keyOf(table, known).at(-1), last) <= 0) newest.set(group, row)
  }

  clear(): void {
    this.#single.clear()
    this.#newest.clear()
  }
}

type Known = Map<Cell, Row | undefined>

function knownOf(cache: Map<Table, Known>, table: Table): Known {
  const known = cache.get(table) ?? (new Map() as Known)
  cache.set(table, known)
  return known
}

function remember(known: Known, name: Cell, read: () => Row | undefined): Row | undefined {
  const row = known.get(name)
  if (row !== undefined || known.has(name)) return row
  const found = read()
  keep(known, name, found)
  return found
}

function keep(known: Known, name: Cell, row: Row | undefined): void {
  if (known.size >= ENTRIES_MAX) known.clear()
  known.set(name, row)
}
