import { contextProjections } from '../../src/context/projections.ts'
import { branchTable } from '../../src/context/tables.ts'
import type { Event } from '../../src/event/event.ts'
import type { Reader, Table } from '../../src/event/table.ts'
import { Staged } from '../../src/log/staged.ts'

const ALL = { order: 'up', limit: Number.MAX_SAFE_INTEGER } as const

/** Every row of every derived table, in order: the state as bytes. */
export function dump(reader: Reader): string {
  const branches = reader.rows(branchTable, { prefix: [], ...ALL }).map((row) => row['id'] as string)
  const tables = contextProjections.flatMap((projection) => projection.tables)
  return tables.flatMap((table) => [`# ${table.name}`, ...linesOf(reader, table, branches)]).join('\n')
}

/** The state that folding these events from nothing gives. */
export function foldAgain(events: readonly Event[]): Reader {
  const folded = new Staged(nothing, contextProjections)
  for (const event of events) folded.take(event)
  return folded
}

const nothing: Reader = {
  end: 0,
  event: (position) => {
    throw new Error(`there is no event ${position}`)
  },
  row: () => undefined,
  rows: () => [],
}

/** All tables with two key columns have a branch in the first one; the children of no branch have none. */
function linesOf(reader: Reader, table: Table, branches: readonly string[]): readonly string[] {
  const prefixes = table.key.length === 1 ? [[]] : ['', ...branches].map((branch) => [branch])
  const columns = [...table.key, ...table.values].map(({ name }) => name)
  return prefixes.flatMap((prefix) =>
    reader.rows(table, { prefix, ...ALL }).map((row) => JSON.stringify(columns.map((name) => row[name]))),
  )
}
