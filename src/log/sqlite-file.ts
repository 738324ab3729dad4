import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { realPath, specialFile } from '../base/regular-file.ts'
import { LogError } from './log.ts'
import { isOutOfReach } from './sqlite-error.ts'
import { pragma } from './sqlite-schema.ts'

const TIMEOUT_MS = 2_000

/** Opens the file of a log for its one writer: a commit is on the disk before it returns. */
export function openToWrite(file: string): DatabaseSync {
  return orClosed(openDatabase(file), (db) => {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    return db
  })
}

/** The result of `work`; if it fails, the database is closed again. */
export function orClosed<T>(db: DatabaseSync, work: (db: DatabaseSync) => T): T {
  try {
    return work(db)
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens the file of a log for reading, also where nothing can be written beside it. */
export function openToRead(file: string): DatabaseSync {
  refuseSpecial(file)
  const db = new DatabaseSync(file, { readOnly: true, timeout: TIMEOUT_MS })
  try {
    // SQLite opens its journal with the first read, and creates it if there is none.
    pragma(db, 'user_version')
    return db
  } catch (error) {
    db.close()
    if (!isOutOfReach(error) || canWriteBeside(file)) throw error
    return openAsItIs(file, error)
  }
}

/** Opens the file for a look that leaves nothing behind, not even SQLite's own files. */
export function openToGlance(file: string): DatabaseSync {
  const isAtRest = statSync(`${file}-wal`, { throwIfNoEntry: false }) === undefined
  return isAtRest ? openImmutable(file) : openToRead(file)
}

/** Where a file really is: two names of one log must lead to one lock, one journal, one note of damage. */
export function realFile(file: string): string {
  try {
    return realPath(file)
  } catch {
    return file // The caller that opens it says what is wrong.
  }
}

/**
 * Creates the file if it is missing, readable by its owner only; SQLite gives its journals the same mode. An existing
 * file is not opened: closing it again would drop every lock that this process holds on it.
 */
export function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // Without write access SQLite would open it for reading only, and take no real lock.
    accessSync(file, constants.R_OK | constants.W_OK)
  }
}

/** Opens a file of the home with SQLite, for writing. A missing one is created. */
export function openDatabase(
  file: string,
  options: DatabaseSyncOptions = { timeout: TIMEOUT_MS },
): DatabaseSync {
  refuseSpecial(file)
  createPrivate(file)
  return new DatabaseSync(file, options)
}

/** SQLite would wait for ever at a pipe, and report a directory as a failing disk. */
export function refuseSpecial(file: string): void {
  for (const path of ['', '-wal', '-shm', '-journal'].map((end) => file + end)) {
    const special = specialFile(path)
    if (special !== undefined)
      throw new LogError('unreadable', `${path} ${special}; move it away, or name another --home`)
  }
}

function canWriteBeside(file: string): boolean {
  try {
    accessSync(dirname(file), constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** For folders that cannot be written to. Without a journal, or with an empty one, the file alone is the whole log. */
function openAsItIs(file: string, cause: unknown): DatabaseSync {
  const bytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  if (bytes === 0) return openImmutable(file)
  const why =
    `the newest events of the log ${file} are in its journal (${basename(file)}-wal), which cannot be read ` +
    `where nothing can be written. Copy the whole home elsewhere first, and name the copy with --home`
  throw new LogError('unreadable', why, cause)
}

function openImmutable(file: string): DatabaseSync {
  refuseSpecial(file)
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true, timeout: TIMEOUT_MS })
}
