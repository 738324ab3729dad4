import type { DatabaseSync } from 'node:sqlite'
import { hasTables, pragma } from '../../log/sqlite-schema.ts'
import { DOCUMENTS_VERSION } from '../contract/document.ts'
import { WORDS_VERSION } from '../words/words.ts'

/** "MSRC": marks a SQLite file as an index. */
export const APPLICATION_ID = 0x4d535243
const LAYOUT_VERSION = 3
/** An index of another version is rebuilt. */
export const INDEX_VERSION = `${LAYOUT_VERSION}.${WORDS_VERSION}.${DOCUMENTS_VERSION}`

/** Documents per chunk of postings: a batch writes to one place, and nothing is merged later. */
export const CHUNK_DOCUMENTS = 65_536
export const BLOCK_DOCUMENTS = 256

const SCHEMA = `
  CREATE TABLE state(
    id INTEGER PRIMARY KEY, version TEXT NOT NULL, generation INTEGER NOT NULL,
    watermark INTEGER NOT NULL, documents INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE chunk(number INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE posting(
    chunk INTEGER NOT NULL, term TEXT NOT NULL, count INTEGER NOT NULL, documents BLOB NOT NULL,
    PRIMARY KEY (chunk, term)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE word(length INTEGER NOT NULL, term TEXT NOT NULL, PRIMARY KEY (length, term)) STRICT, WITHOUT ROWID;
  CREATE TABLE block(number INTEGER PRIMARY KEY, columns BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT;
  CREATE TABLE branch(number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
  CREATE TABLE speaker(number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
`
const TABLES = ['state', 'chunk', 'posting', 'word', 'block', 'branch', 'speaker']

export interface State {
  readonly version: string
  /** Increased when the index starts over: document numbers of another generation mean other documents. */
  readonly generation: number
  readonly watermark: number
  readonly documents: number
}

function readState(db: DatabaseSync): State | undefined {
  const row = db.prepare('SELECT version, generation, watermark, documents FROM state WHERE id = 0').get()
  return row as unknown as State | undefined
}

/** Makes missing tables, and replaces those of another version. */
export function prepareTables(db: DatabaseSync): void {
  if (isPrepared(db)) return
  inTransaction(db, 'IMMEDIATE', () => {
    // Another process may have done it while this one waited.
    if (!isPrepared(db)) makeTables(db)
  })
}

/** Calls `work` with one state of the file, or as the only writer; keeps everything it writes, or nothing. */
export function inTransaction<T>(db: DatabaseSync, kind: 'DEFERRED' | 'IMMEDIATE', work: () => T): T {
  db.exec(`BEGIN ${kind}`)
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Makes an empty index, inside a transaction. */
export function makeTables(db: DatabaseSync): void {
  const hasState = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'state'").get() !== undefined
  const generation = hasState ? (readState(db)?.generation ?? 0) : 0
  for (const table of TABLES) db.exec(`DROP TABLE IF EXISTS ${table}`)
  db.exec(SCHEMA)
  db.prepare('INSERT INTO state VALUES (0, ?, ?, 0, 0)').run(INDEX_VERSION, generation + 1)
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
}

/** Whether the file is empty or ours, so that no foreign tables are dropped. */
export function isOurs(db: DatabaseSync): boolean {
  return pragma(db, 'application_id') === APPLICATION_ID || !hasTables(db)
}

function isPrepared(db: DatabaseSync): boolean {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  const names = new Set(tables.map(({ name }) => name))
  return TABLES.every((name) => names.has(name)) && readState(db)?.version === INDEX_VERSION
}
