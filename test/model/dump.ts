import { findBranch } from '../../src/context/branch.ts'
import { contextProjections } from '../../src/context/fold.ts'
import { show, type Shown } from '../../src/context/prompt.ts'
import { branchTable } from '../../src/context/tables.ts'
import { listOf } from '../../src/context/version.ts'
import type { Event } from '../../src/event/event.ts'
import type { BranchId, Position } from '../../src/event/id.ts'
import { keyOf, type Cell, type Reader, type Row, type Table } from '../../src/event/table.ts'
import { Staged } from '../../src/log/staged.ts'

const ALL = { order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
const TABLES = contextProjections.flatMap((projection) => projection.tables)

/** Every row of every derived table, in order: the state as bytes. */
export function dump(reader: Reader): string {
  const branches = branchesOf(reader)
  return TABLES.flatMap((table) => [`# ${table.name}`, ...linesOf(reader, table, branches)]).join('\n')
}

/**
 * The state read row by row, and by asking for the newest row of a group: a log may have these answers cached and need
 * not look where `dump` does. `folded` says which rows to ask for.
 */
export function dumpByKey(reader: Reader, folded: Reader): string {
  const branches = branchesOf(folded)
  const lines = TABLES.flatMap((table) =>
    prefixesOf(table, branches).flatMap((prefix) => {
      const keys = folded.rows(table, { prefix, ...ALL }).map((row) => keyOf(table, row))
      const newest = reader.rows(table, { prefix, order: 'down', limit: 1 })
      // The next position does not exist yet, which a log may cache too.
      const next = table.key.at(-1)?.type === 'integer' ? [[...prefix, folded.end + 1]] : []
      const found = [...keys, ...next].map((key) => reader.row(table, key))
      return [`# ${table.name} ${prefix.join()}`, ...[...newest, ...found].map((row) => lineOf(table, row))]
    }),
  )
  return lines.join('\n')
}

/** The state that folding these events from scratch gives; `take` folds one more. */
export function foldAgain(events: readonly Event[]): Staged {
  const folded = new Staged(nothing, contextProjections)
  for (const event of events) folded.take(event)
  return folded
}

/** The view of every branch, as bytes. Caches events, which never change during its life. */
export class Rendering {
  readonly #events = new Map<Position, Event>()
  readonly #lines = new WeakMap<Event, string>()

  render(reader: Reader): string {
    const remembering: Reader = {
      end: reader.end,
      event: (position) => this.#event(reader, position),
      row: (table, key) => reader.row(table, key),
      rows: (table, stretch) => reader.rows(table, stretch),
    }
    const lines = branchesOf(reader).flatMap((id) => {
      const branch = findBranch(remembering, id)
      const shown = branch === undefined ? [] : show(remembering, listOf(remembering, branch))
      return [`# ${id}`, ...shown.map((each) => this.#lineOf(each))]
    })
    return lines.join('\n')
  }

  #lineOf(shown: Shown): string {
    if (shown.kind === 'summary') return JSON.stringify(shown)
    const line = this.#lines.get(shown.event) ?? JSON.stringify(shown.event)
    this.#lines.set(shown.event, line)
    return line
  }

  #event(reader: Reader, position: Position): Event {
    const event = this.#events.get(position) ?? reader.event(position)
    this.#events.set(position, event)
    return event
  }
}

/** The first line in which two states differ, for whoever investigates a failure. */
export function firstDifference(live: string, folded: string): string {
  const [a, b] = [live.split('\n'), folded.split('\n')]
  const index = a.findIndex((line, at) => line !== b[at])
  const at = index === -1 ? a.length : index
  const heading = b.slice(0, at + 1).findLast((line) => line.startsWith('#')) ?? ''
  return `in '${heading}'\n  there is  ${a[at] ?? 'nothing more'}\n  should be ${b[at] ?? 'nothing more'}`
}

const nothing: Reader = {
  end: 0,
  event: (position) => {
    throw new Error(`there is no event ${position}`)
  },
  row: () => undefined,
  rows: () => [],
}

function branchesOf(reader: Reader): readonly BranchId[] {
  return reader.rows(branchTable, { prefix: [], ...ALL }).map(({ id }) => id)
}

function linesOf(reader: Reader, table: Table, branches: readonly string[]): readonly string[] {
  return prefixesOf(table, branches).flatMap((prefix) =>
    reader.rows(table, { prefix, ...ALL }).map((row) => lineOf(table, row)),
  )
}

/** All tables with two key columns have a branch in the first; branches without a parent have an empty one. */
function prefixesOf(table: Table, branches: readonly string[]): readonly (readonly Cell[])[] {
  return table.key.length === 1 ? [[]] : ['', ...branches].map((branch) => [branch])
}

function lineOf(table: Table, row: Row | undefined): string {
  if (row === undefined) return 'no row'
  return JSON.stringify([...table.key, ...table.values].map(({ name }) => row[name]))
}
