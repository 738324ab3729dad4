import { closeSync, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase, orClosed } from '../../log/sqlite-file.ts'
import { specialFile } from '../../base/regular-file.ts'
import { IndexError, isLost } from '../contract/index-error.ts'
import { APPLICATION_ID, isOurs, prepareTables } from './index-schema.ts'

export type Place = { readonly file: string } | 'memory'

const TIMEOUT_MS = 2_000
const SETTINGS = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000; PRAGMA wal_autocheckpoint = 4000
`
/** The offset of the application id in SQLite's header. */
const APPLICATION_ID_AT = 68
const HEADER_BYTES = 100

/** Opens the index, ready for use. A damaged index or another file in its place is put away first. */
export function openIndexFile(place: Place): DatabaseSync {
  if (place === 'memory') {
    const db = new DatabaseSync(':memory:')
    prepareTables(db)
    return db
  }
  const { file } = place
  if (isUsable(file)) {
    try {
      return openPrepared(file)
    } catch (error) {
      if (!isLost(error) && !(error instanceof ForeignError)) throw error
    }
  }
  putAway(file)
  return openPrepared(file)
}

/** Deletes a damaged index, which can be rebuilt. A file that is not ours is renamed instead. */
export function putAway(file: string): void {
  if (hasOurHeader(file)) rmSync(file, { force: true })
  else if (existsSync(file)) renameSync(file, freeName(`${file}.set-aside`))
  // After the file itself: SQLite would apply a leftover journal to the next file of that name.
  for (const journal of [`${file}-wal`, `${file}-shm`]) rmSync(journal, { force: true })
}

class ForeignError extends Error {}

function openPrepared(file: string): DatabaseSync {
  return orClosed(openDatabase(file, { timeout: TIMEOUT_MS }), (db) => {
    if (!isOurs(db)) throw new ForeignError()
    db.exec(SETTINGS)
    prepareTables(db)
    return db
  })
}

/** SQLite would wait for ever at a pipe, also in the place of a journal. */
function isUsable(file: string): boolean {
  return ['', '-wal', '-shm'].every((end) => specialFile(file + end) === undefined)
}

function hasOurHeader(file: string): boolean {
  if (!isUsable(file) || !existsSync(file)) return false
  const header = Buffer.alloc(HEADER_BYTES)
  const handle = openSync(file, 'r')
  try {
    readSync(handle, header, 0, HEADER_BYTES, 0)
  } finally {
    closeSync(handle)
  }
  return header.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID
}

function freeName(name: string): string {
  for (let number = 1; number < 1_000; number++) {
    const free = number === 1 ? name : `${name}-${number}`
    if (!existsSync(free)) return free
  }
  throw new IndexError('unwritable', `there are too many files named ${name}. Delete some of them`)
}
