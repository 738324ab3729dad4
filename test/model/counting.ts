import type { Reader } from '../../src/event/table.ts'

/** Counts a decision's reads: events and rows. */
export function counting(reader: Reader): { reader: Reader; reads: () => number } {
  let reads = 0
  const counted: Reader = {
    end: reader.end,
    event: (position) => {
      reads++
      return reader.event(position)
    },
    row: (table, key) => {
      reads++
      return reader.row(table, key)
    },
    rows: (table, stretch) => {
      const rows = reader.rows(table, stretch)
      reads += 1 + rows.length
      return rows
    },
  }
  return { reader: counted, reads: () => reads }
}
