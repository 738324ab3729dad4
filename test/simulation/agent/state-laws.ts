import type { Event } from '../../../src/event/event.ts'
import { keyOf, type Reader, type Row, type Table } from '../../../src/event/table.ts'
import { Staged } from '../../../src/log/staged.ts'
import type { TableRow } from '../../../src/log/store.ts'
import { hold } from '../witness.ts'
import { agentProjections } from './agent-life.ts'

/** The state that these events fold to, from scratch; `take` folds one more. */
export function foldAll(events: readonly Event[]): Staged {
  const folded = new Staged(nothing, agentProjections)
  for (const event of events) folded.take(event)
  return folded
}

/** CTX2: the live state equals the fold, row by row. `kept` are the rows on the disk, if known. */
export function compareRows(live: Reader, folded: Staged, kept: readonly TableRow[] = []): void {
  hold(live.end === folded.end, `[LOG1] the log ends at ${live.end}, not ${folded.end}`)
  for (const { table, row } of folded.changed.all()) {
    const found = live.row(table, keyOf(table, row))
    if (found === row || (found !== undefined && isSame(table, found, row))) continue
    throw new Error(`[CTX2] '${table.name}' has ${line(found)}, and the events fold to ${line(row)}`)
  }
  const stray = kept.find(({ table, row }) => folded.row(table, keyOf(table, row)) === undefined)
  hold(stray === undefined, `[CTX2] '${stray?.table.name}' has ${line(stray?.row)}, which no event made`)
}

function isSame(table: Table, a: Row, b: Row): boolean {
  return [...table.key, ...table.values].every(({ name }) => a[name] === b[name])
}

function line(row: Row | undefined): string {
  return row === undefined ? 'no such row' : JSON.stringify(row)
}

const nothing: Reader = {
  end: 0,
  event: (position): Event => {
    throw new Error(`there is no event ${position}`)
  },
  row: () => undefined,
  rows: () => [],
}
