import { keyOf, type Cell, type Row, type Table } from '../event/table.ts'
import { compare, groupName } from './sorted-rows.ts'

const ENTRIES_MAX = 4_096

/**
 * Rows that were read or written lately: single ones, and the newest of a group. Every append asks for the same
 * few. Only for a store that is the one writer of its rows.
 */
export class RowCache {
  readonly #single = new Map<Table, Known>()
  readonly #newest = new Map<Table, Known>()

  row(table: Table, key: readonly Cell[], read: () => Row | undefined): Row | undefined {
    return (
      remember(this.#single, table, groupName(key)) ??
      learn(this.#single, table, { name: groupName(key), read })
    )
  }

  newest(table: Table, prefix: readonly Cell[], read: () => Row | undefined): Row | undefined {
    return (
      remember(this.#newest, table, groupName(prefix)) ??
      learn(this.#newest, table, { name: groupName(prefix), read })
    )
  }

  put(table: Table, row: Row): void {
    const key = keyOf(table, row)
    const singles = this.#single.get(table)
    if (singles !== undefined) singles.set(groupName(key), row)
    const newest = this.#newest.get(table)
    if (newest === undefined) return
    const last = key.pop()
    const group = groupName(key)
    const known = newest.get(group)
    if (known !== undefined && compare(keyOf(table, known).at(-1), last) <= 0) newest.set(group, row)
  }

  clear(): void {
    this.#single.clear()
    this.#newest.clear()
  }
}

/** Only rows that exist are remembered: what does not exist yet may be written by the next commit. */
type Known = Map<Cell, Row>

function remember(cache: Map<Table, Known>, table: Table, name: Cell): Row | undefined {
  return cache.get(table)?.get(name)
}

function learn(
  cache: Map<Table, Known>,
  table: Table,
  { name, read }: { name: Cell; read: () => Row | undefined },
): Row | undefined {
  const row = read()
  if (row === undefined) return undefined
  const known = cache.get(table)
  if (known === undefined || known.size >= ENTRIES_MAX) cache.set(table, new Map([[name, row]]))
  else known.set(name, row)
  return row
}
