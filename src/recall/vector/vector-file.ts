import { closeSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isDamage } from '../../log/sqlite-error.ts'
import { createPrivate, openDatabase, orClosed } from '../../log/sqlite-file.ts'
import { hasTables, pragma } from '../../log/sqlite-schema.ts'
import { IndexError } from '../contract/index-error.ts'
import { inTransaction } from '../index/index-schema.ts'
import type { Bytes, VectorFiles, VectorState, VectorStore } from './vector-store.ts'

/** "MSVC": marks a SQLite file as our list of vector sets. */
const APPLICATION_ID = 0x4d535643
const TIMEOUT_MS = 2_000
/** Set numbers are never reused, so that nobody mistakes the files of one for another's. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS vector_set(
    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, documents INTEGER NOT NULL
  ) STRICT;
  PRAGMA application_id = ${APPLICATION_ID};
`
const NOTHING: VectorState = { set: 0, count: 0 }

/**
 * A small SQLite file that says how many vectors of a set are valid and separates writers. The vectors are in plain
 * files beside it: reading thousands of them from SQLite takes three times as long and ten times the memory. Vectors
 * are written before they are counted, so a crash in between loses only those.
 */
export function fileVectorStore(file: string, name: string): VectorStore {
  let db = openList(file)
  let inode = inodeOf(file)
  let open: { readonly set: number; readonly files: VectorFiles } | undefined

  const shut = (): void => {
    open?.files.rows.close()
    open?.files.signs.close()
    open = undefined
  }
  const reopen = (): void => {
    shut()
    if (db.isOpen) db.close()
    db = openList(file)
    inode = inodeOf(file)
  }
  /** Damage is repaired by starting over, which another process may already have done. */
  const guarded = <T>(work: () => T, otherwise: T): T => {
    if (inodeOf(file) !== inode) reopen()
    try {
      return work()
    } catch (error) {
      if (!isDamage(error)) throw error
      if (inodeOf(file) === inode) removeAll(file)
      reopen()
      return otherwise
    }
  }
  const state = (): VectorState => {
    const row = db
      .prepare('SELECT number AS "set", documents AS count FROM vector_set WHERE name = ?')
      .get(name)
    return row === undefined ? NOTHING : (row as unknown as VectorState)
  }
  const files = (set: number): VectorFiles | null => {
    if (open?.set === set) return open.files
    shut()
    const found = openFiles(file, set)
    if (found !== null) open = { set, files: found }
    return found
  }
  return {
    state: () => guarded(state, NOTHING),
    append: (add) =>
      guarded(() => {
        inTransaction(db, 'IMMEDIATE', () => {
          const known = state()
          const { set, count } = known.set === 0 ? begin(db, file, name) : known
          const opened = files(set)
          if (opened === null) db.prepare('DELETE FROM vector_set WHERE number = ?').run(set)
          else {
            const documents = add({ set, count }, opened)
            db.prepare('UPDATE vector_set SET documents = ? WHERE number = ?').run(documents, set)
          }
        })
      }, undefined),
    files: (set) => guarded(() => files(set), null),
    drop: (set) =>
      guarded(() => void db.prepare('DELETE FROM vector_set WHERE number = ?').run(set), undefined),
    sweep: () => guarded(() => sweep(db, file, name), undefined),
    close() {
      shut()
      if (db.isOpen) db.close()
    },
  }
}

function openList(file: string): DatabaseSync {
  try {
    return prepared(file)
  } catch (error) {
    if (!isDamage(error)) throw error
    removeAll(file)
    return prepared(file)
  }
}

function prepared(file: string): DatabaseSync {
  return orClosed(openDatabase(file, { timeout: TIMEOUT_MS }), (db) => {
    const isEmpty = !hasTables(db)
    if (pragma(db, 'application_id') !== APPLICATION_ID && !isEmpty)
      throw new IndexError('failed', `${file} was not written by mainstem. Move it away`)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    if (isEmpty) inTransaction(db, 'IMMEDIATE', () => db.exec(SCHEMA))
    return db
  })
}

/** Inside a transaction: a new set with empty files. */
function begin(db: DatabaseSync, file: string, name: string): VectorState {
  const { lastInsertRowid } = db.prepare('INSERT INTO vector_set (name, documents) VALUES (?, 0)').run(name)
  const set = Number(lastInsertRowid)
  for (const path of Object.values(paths(file, set))) {
    // Left by a lost list of sets. Removed, not emptied: another process may still read the old file.
    rmSync(path, { force: true })
    createPrivate(path)
  }
  return { set, count: 0 }
}

function paths(file: string, set: number): { readonly rows: string; readonly signs: string } {
  return { rows: `${file}-${set}.rows`, signs: `${file}-${set}.signs` }
}

function openFiles(file: string, set: number): VectorFiles | null {
  const { rows, signs } = paths(file, set)
  try {
    return { rows: fileBytes(rows), signs: fileBytes(signs) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function fileBytes(file: string): Bytes {
  const handle = openSync(file, 'r+')
  return {
    read: (into, at) => readSync(handle, into, 0, into.length, at),
    write(bytes, at) {
      for (let done = 0; done < bytes.length;)
        done += writeSync(handle, bytes, done, bytes.length - done, at + done)
    },
    close: () => closeSync(handle),
  }
}

function inodeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? 0
}

function sweep(db: DatabaseSync, file: string, name: string): void {
  inTransaction(db, 'IMMEDIATE', () => {
    db.prepare('DELETE FROM vector_set WHERE name <> ?').run(name)
    const row = db.prepare('SELECT number FROM vector_set').get()
    const kept = row === undefined ? [] : Object.values(paths(file, Number(row['number'])))
    for (const path of setFiles(file)) if (!kept.includes(path)) removeIfPossible(path)
  })
}

function setFiles(file: string): string[] {
  const begin = `${basename(file)}-`
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(begin) && /^\d+\.(?:rows|signs)$/.test(name.slice(begin.length)))
    .map((name) => join(dirname(file), name))
}

/** A file that is in use is removed at the next sweep. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    return
  }
}

function removeAll(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path, { force: true })
  for (const path of setFiles(file)) removeIfPossible(path)
}
