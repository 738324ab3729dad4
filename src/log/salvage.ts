import { messageOf, orElse } from '../base/message-of.ts'
import { existsSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { fromStored } from '../event/codec.ts'
import type { Event } from '../event/event.ts'
import type { Projection } from '../event/table.ts'
import { LogError } from './log.ts'
import { isBusy, isDamage, lost, toLogError } from './sqlite-error.ts'
import { openToRead } from './sqlite-file.ts'
import { pragma, prepareSchema, sqlName } from './sqlite-schema.ts'
import { checksumOf, EVENT_COLUMNS, type SummedEvent } from './sqlite-store.ts'

/** Content of a position: an event, or the reason why it cannot be read. */
export type Salvaged =
  | { readonly kind: 'event'; readonly event: Event }
  | { readonly kind: 'missing'; readonly position: number; readonly because: string }

/**
 * Reads a log in any state, every position from 1 to `end`. Damage costs the damaged positions and no others. `endIsSure`
 * is false when the newest events cannot be read: there may be more of them than `end` says.
 */
export function openSalvage(file: string, projections: readonly Projection[]) {
  if (!existsSync(file)) throw new LogError('missing', `there is no log at ${file} yet`)
  const db = openToLook(file)
  try {
    // One transaction for the whole read, so that a writer at work does not look like damage.
    db.exec('BEGIN')
    const { end, endIsSure } = findEnd(db, projections)
    return { end, endIsSure, positions: () => salvage(db, end), close: () => db.close() }
  } catch (error) {
    db.close()
    throw toLogError(file, error)
  }
}

/** Opens the file of a log to look at it, damaged or not. Its derived tables may be missing or outdated. */
export function openToLook(file: string): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = openToRead(file)
    prepareSchema(db, { file, write: false })
    requireEventTable(db, file)
    return db
  } catch (error) {
    db?.close()
    if (error instanceof LogError || !isDamage(error)) throw toLogError(file, error)
    throw lost(file, (error as Error).message, error)
  }
}

/** Without the names of the tables no event can be found. */
function requireEventTable(db: DatabaseSync, file: string): void {
  try {
    db.prepare(`SELECT ${EVENT_COLUMNS} FROM event`)
  } catch (error) {
    throw isBusy(error) ? error : lost(file, (error as Error).message, error)
  }
}

function* salvage(db: DatabaseSync, end: number): Generator<Salvaged> {
  const statement = db.prepare(`SELECT ${EVENT_COLUMNS} FROM event WHERE position = ?`)
  for (let position = 1; position <= end; position++) yield readOne(statement, position)
}

function readOne(statement: StatementSync, position: number): Salvaged {
  try {
    const row = statement.get(position)
    if (row === undefined) return { kind: 'missing', position, because: 'it is not in the file' }
    return { kind: 'event', event: checked(row, position) }
  } catch (error) {
    return { kind: 'missing', position, because: messageOf(error) }
  }
}

function checked(row: object, position: number): Event {
  const { checksum, ...stored } = row as SummedEvent
  if (stored.position !== position) throw new Error(`the file has event ${stored.position} in its place`)
  if (checksumOf(stored) !== checksum) throw new Error('it does not match its checksum')
  return fromStored(stored)
}

/** Every event takes more bytes than this, which limits how many a file can hold. */
const EVENT_BYTES_MIN = 40
/** This many unreadable positions in a row, after all that the tables name, count as the end. */
const SILENCE_MAX = 20_000

/**
 * One damaged byte can make SQLite report ten events where there are a thousand, without an error. So the positions that
 * derived tables name count too. They are read in the same transaction, so a writer cannot be ahead in one of them.
 */
function findEnd(db: DatabaseSync, projections: readonly Projection[]): { end: number; endIsSure: boolean } {
  const known = number(db, 'SELECT max(position) AS last FROM event')
  const atMost = (pragma(db, 'page_count') * pragma(db, 'page_size')) / EVENT_BYTES_MIN
  const named = Math.min(namedByTables(db, projections), atMost)
  if (known !== undefined && known >= named && known <= atMost) return { end: known, endIsSure: true }
  return { end: Math.max(named, newestBehind(db, named)), endIsSure: false }
}

/** The newest position that a derived table names: where the newest events cannot be read, it shows how many there were. */
function namedByTables(db: DatabaseSync, projections: readonly Projection[]): number {
  const names = new Set(['position', 'version', 'forked_at'])
  const queries = projections.flatMap(({ tables }) =>
    tables.flatMap((table) =>
      [...table.key, ...table.values]
        .filter(({ name }) => names.has(name))
        .map(({ name }) => `SELECT max(${name}) AS last FROM ${sqlName(table)}`),
    ),
  )
  queries.push('SELECT max(applied) AS last FROM projection')
  return Math.max(0, ...queries.map((sql) => number(db, sql) ?? 0))
}

function newestBehind(db: DatabaseSync, position: number): number {
  let newest = position
  const statement = db.prepare('SELECT position FROM event WHERE position = ?')
  for (let next = position + 1; next - newest <= SILENCE_MAX; next++) {
    if (canRead(statement, next)) newest = next
  }
  return newest
}

function canRead(statement: StatementSync, position: number): boolean {
  return orElse(false, () => statement.get(position) !== undefined)
}

/** Undefined when it cannot be read. A locked file is not damaged, so that error is thrown. */
function number(db: DatabaseSync, sql: string): number | undefined {
  try {
    return Number(db.prepare(sql).get()?.['last'] ?? 0)
  } catch (error) {
    if (isBusy(error)) throw error
    return undefined
  }
}
