import type { DatabaseSync } from 'node:sqlite'
import { LOG_FORMAT, PROGRAM_VERSION } from '../event/format.ts'
import type { Projection, Table } from '../event/table.ts'
import { LogError } from './log.ts'

/** "MSTM": tells a log from any other SQLite file. */
const APPLICATION_ID = 0x4d53544d

const SCHEMA = `
  CREATE TABLE event(
    position INTEGER PRIMARY KEY, at INTEGER NOT NULL, branch TEXT NOT NULL, kind TEXT NOT NULL,
    body TEXT NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE projection(
    name TEXT PRIMARY KEY, version INTEGER NOT NULL, applied INTEGER, follows INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** Makes the tables of a new log, or checks that this program may use the log there is. */
export function prepareSchema(db: DatabaseSync, { file, write }: { file: string; write: boolean }): void {
  const format = pragma(db, 'user_version')
  const application = pragma(db, 'application_id')
  if (application !== APPLICATION_ID && (application !== 0 || format !== 0 || hasTables(db))) {
    throw new LogError('unreadable', `${file} is not a Mainstem log. Choose another --home`)
  }
  if (format > LOG_FORMAT) throw newer(db, file, format)
  if (!write) {
    if (format === 0) throw new LogError('missing', `there is no log at ${file} yet`)
    return
  }
  if (format === LOG_FORMAT) return
  db.exec('BEGIN IMMEDIATE')
  if (format === 0) db.exec(SCHEMA)
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${LOG_FORMAT}`)
  db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run('written-by', PROGRAM_VERSION)
  db.exec('COMMIT')
}

/** Position up to which the rows of a projection are folded; `live`: with every event; undefined: not at all, or gone. */
export function appliedOf(db: DatabaseSync, projection: Projection): number | 'live' | undefined {
  const row = db.prepare('SELECT version, applied FROM projection WHERE name = ?').get(projection.name)
  if (row === undefined || row['version'] !== projection.version) return undefined
  if (!projection.tables.every((table) => hasTable(db, table))) return undefined
  return (row['applied'] as number | null) ?? 'live'
}

/** Notes that rows are folded up to `end`. Following projections keep that position; the others are live from here on. */
export function setApplied(db: DatabaseSync, { name, version, follows }: Projection, end: number): void {
  const insert = db.prepare('INSERT OR REPLACE INTO projection VALUES (?, ?, ?, ?)')
  insert.run(name, version, follows ? end : null, follows ? 1 : 0)
}

/** Position up to which all projections that follow are folded. */
export function followedOf(db: DatabaseSync): number {
  const row = db.prepare('SELECT min(applied) AS applied FROM projection WHERE follows = 1').get()
  return (row?.['applied'] as number | null) ?? 0
}

export function setFollowed(db: DatabaseSync, end: number): void {
  db.prepare('UPDATE projection SET applied = ? WHERE follows = 1').run(end)
}

/** Projections unknown to this program stop at `end`; a program that knows them folds on from there. */
export function freezeOthers(db: DatabaseSync, projections: readonly Projection[], end: number): void {
  const known = new Set(projections.map(({ name }) => name))
  const freeze = db.prepare('UPDATE projection SET applied = ?, follows = 0 WHERE name = ?')
  for (const { name, applied } of db.prepare('SELECT name, applied FROM projection').all())
    if (!known.has(name as string)) freeze.run(applied ?? end, name as string)
}

export function recreateTables(db: DatabaseSync, projection: Projection): void {
  for (const table of projection.tables) {
    const columns = [...table.key, ...table.values].map(({ name, type }) => `${name} ${type.toUpperCase()}`)
    const key = table.key.map(({ name }) => name).join(', ')
    db.exec(`
      DROP TABLE IF EXISTS ${sqlName(table)};
      CREATE TABLE ${sqlName(table)}(${columns.join(', ')}, PRIMARY KEY (${key})) STRICT, WITHOUT ROWID;
    `)
  }
}

export function sqlName(table: Table): string {
  return `derived_${table.name}`
}

export function pragma(db: DatabaseSync, name: string): number {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number
}

/** False if the program that wrote the log did not know the projection. */
export function hasTable(db: DatabaseSync, table: Table): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(sqlName(table)) !== undefined
}

/** The program that made the log or last raised its format. */
export function writtenBy(db: DatabaseSync): string | undefined {
  const row = db.prepare("SELECT value FROM meta WHERE key = 'written-by'").get()
  return row && String(row['value'])
}

export function hasTables(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined
}

function newer(db: DatabaseSync, file: string, format: number): LogError {
  const version = writtenBy(db)
  const by = version === undefined ? 'a newer mainstem' : `mainstem ${version}`
  return new LogError(
    'newer',
    `the log ${file} was written by ${by} (log format ${format}); this is mainstem ${PROGRAM_VERSION}, ` +
      `which knows formats up to ${LOG_FORMAT}. Nothing was changed; use the newer program`,
  )
}
