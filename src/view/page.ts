import type { Position } from '../event/id.ts'
import type { Reader, Row, Stretch, Table } from '../event/table.ts'

/** The newest entries of a list, or those before a position: the `next` of one page is the `before` of the following. */
export interface Page {
  readonly before?: number | undefined
  readonly limit: number
}

/** Rows of a table whose last key is a position, the newest first. */
export function newestPage<R extends Row & { readonly position: Position }>(
  reader: Reader,
  table: Table<R>,
  { prefix, before = reader.end + 1, limit }: Page & Pick<Stretch, 'prefix'>,
): { readonly rows: readonly R[]; readonly next: Position | null } {
  const rows = reader.rows(table, { prefix, to: before - 1, order: 'down', limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return { rows: shown, next: rows.length > limit ? (shown.at(-1)?.position ?? null) : null }
}

/** Entries can be large; a page that has so many characters ends early. */
export const PAGE_CHARS_MAX = 4_000_000

/** The entries at these places, as many as a page holds, and the last place that was looked at; some have no entry. */
export function fitting<P, E extends object>(places: readonly P[], entryAt: (place: P) => E | undefined) {
  const entries: E[] = []
  let [looked, size] = [0, 0]
  while (looked < places.length && size <= PAGE_CHARS_MAX) {
    const entry = entryAt(places[looked++] as P)
    if (entry === undefined) continue
    entries.push(entry)
    size += JSON.stringify(entry).length
  }
  return { entries, last: places[looked - 1], isWhole: looked === places.length }
}
