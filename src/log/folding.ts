import { createHash } from 'node:crypto'
import { limits } from '../base/limits.ts'
import { fromStored } from '../event/codec.ts'
import type { Event } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import { keyOf, type Projection, type Table } from '../event/table.ts'
import type { TableDigest } from './log.ts'
import { appliedOf, hasTable, recreateTables, setApplied, sqlName } from './sqlite-schema.ts'
import type { SqliteStore } from './sqlite-store.ts'
import { Layer } from './layer.ts'
import { StoreReader } from './store-reader.ts'

export type Progress = (done: number, all: number) => void

/** Folds the events after `applied` into a projection's rows, inside the caller's transaction. */
export function foldFrom(
  store: SqliteStore,
  projection: Projection,
  { applied, progress }: { applied: number; progress?: Progress },
): void {
  const reader = new StoreReader(store)
  for (let after = applied; ;) {
    const page = store.page({ after }, limits.pageEvents)
    const layer = new Layer(reader)
    for (const stored of page) projection.apply(fromStored(stored), layer)
    store.putRows(layer.changed.all())
    after = page.at(-1)?.position ?? after
    progress?.(after, store.end)
    if (page.length < limits.pageEvents) break
  }
  setApplied(store.db, projection, store.end)
}

export function foldAnew(store: SqliteStore, projection: Projection, progress?: Progress): void {
  recreateTables(store.db, projection)
  store.forgetRows()
  foldFrom(store, projection, { applied: 0, ...(progress ? { progress } : {}) })
}

/** So many events are enough to notice rows that somebody deleted; it takes about a millisecond. */
const PROBED_EVENTS = 20

/** No row is ever deleted, so each that the log's first events made must still be there. */
export function lacksRows(store: SqliteStore, projections: readonly Projection[]): boolean {
  const kept = new Set(projections.filter(({ follows }) => !follows).flatMap(({ tables }) => tables))
  const { end } = store
  const event = (position: Position): Event => new StoreReader(store).event(position)
  const layer = new Layer({ end, event, row: () => undefined, rows: () => [] })
  for (const stored of store.page({ after: 0 }, PROBED_EVENTS))
    for (const projection of projections) projection.apply(fromStored(stored), layer)
  const made = layer.changed.all().filter(({ table }) => kept.has(table))
  return made.some(({ table, row }) => store.row(table, keyOf(table, row)) === undefined)
}

export type Rebuilt = ReturnType<typeof rebuild>

/** Folds the whole log again and compares the rows (CTX2). `keep: false` leaves them as they were. */
export function rebuild(
  store: SqliteStore,
  projections: readonly Projection[],
  { keep, progress }: { keep: boolean; progress?: Progress },
) {
  store.db.exec('BEGIN IMMEDIATE')
  try {
    catchUp(store, projections)
    const before = digests(store, projections)
    for (const projection of projections) foldAnew(store, projection, progress)
    const after = digests(store, projections)
    store.db.exec(keep ? 'COMMIT' : 'ROLLBACK')
    return { tables: after.map((now, index) => ({ ...now, differs: now.digest !== before[index]?.digest })) }
  } finally {
    if (store.db.isTransaction) store.db.exec('ROLLBACK')
    store.forgetRows()
  }
}

/** Rows of following projections may lag a few events behind, which must not count as a difference. */
function catchUp(store: SqliteStore, projections: readonly Projection[]): void {
  for (const projection of projections) {
    const applied = appliedOf(store.db, projection)
    if (typeof applied === 'number') foldFrom(store, projection, { applied })
  }
}

export function digests(store: SqliteStore, projections: readonly Projection[]): TableDigest[] {
  return projections.flatMap(({ tables }) => tables.map((table) => digestOf(store, table)))
}

function digestOf(store: SqliteStore, table: Table): TableDigest {
  const hash = createHash('sha256')
  const key = table.key.map(({ name }) => name).join(', ')
  let rows = 0
  if (!hasTable(store.db, table)) return { table: table.name, rows, digest: 'no such table' }
  for (const row of store.db.prepare(`SELECT * FROM ${sqlName(table)} ORDER BY ${key}`).iterate()) {
    hash.update(`${JSON.stringify(row)}\n`)
    rows++
  }
  return { table: table.name, rows, digest: hash.digest('hex') }
}
