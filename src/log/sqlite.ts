import { existsSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Projection } from '../event/table.ts'
import { forgetDamage, notedDamage } from './damage.ts'
import { foldAnew, foldFrom, lacksRows, type Progress } from './folding.ts'
import { LogError } from './log.ts'
import { damaged, toLogError } from './sqlite-error.ts'
import { openToGlance, openToRead, openToWrite, orClosed } from './sqlite-file.ts'
import { appliedOf, freezeOthers, prepareSchema } from './sqlite-schema.ts'
import { RowlessStore, SqliteStore } from './sqlite-store.ts'
import { takeWriterLock, type Holder, type WriterLock } from './writer-lock.ts'

export interface SqliteOptions {
  readonly file: string
  readonly projections: readonly Projection[]
  /** Without a holder the log is opened for reading only, which needs no lock. */
  readonly holder?: Holder
  /** Leaves no files behind, not even SQLite's own, and does not see what is written meanwhile. */
  readonly glance?: true
  /** Called while rows are folded again before the log is ready. */
  readonly progress?: Progress
}

/** A log up to this size is verified whole when it is opened for writing; a longer one by `doctor`. */
const VERIFY_BYTES = 4 * 1024 * 1024

export function openSqliteStore(options: SqliteOptions): SqliteStore {
  const { file, holder } = options
  if (holder === undefined && !existsSync(file))
    throw new LogError('missing', `there is no log at ${file} yet`)
  let lock: WriterLock | undefined
  try {
    lock = holder && takeWriterLock(file, holder)
    return lock ? openLocked(options, lock) : openUnlocked(options)
  } catch (error) {
    lock?.release()
    throw toLogError(file, error)
  }
}

function openLocked({ file, projections, progress }: SqliteOptions, lock: WriterLock): SqliteStore {
  // A note about a log that was removed does not apply to the new one.
  if (!existsSync(file)) forgetDamage(file)
  return orClosed(openToWrite(file), (db) => {
    prepareSchema(db, { file, write: true })
    const store = new SqliteStore(db, file, lock)
    refuseDamaged(store)
    bringUpToDate(store, projections, progress)
    return store
  })
}

function openUnlocked({ file, projections, glance }: SqliteOptions): SqliteStore {
  return orClosed(glance ? openToGlance(file) : openToRead(file), (db) => {
    db.exec('PRAGMA query_only = ON')
    prepareSchema(db, { file, write: false })
    const store = new SqliteStore(db, file, undefined)
    return isFolded(store, projections) ? store : new RowlessStore(db, file, undefined)
  })
}

function refuseDamaged({ db, file }: SqliteStore): void {
  const noted = notedDamage(file)
  if (noted !== undefined)
    throw new LogError('damaged', `${noted} (noted earlier; 'mainstem doctor' checks again)`)
  if (statSync(file).size > VERIFY_BYTES) return
  const [problem] = structuralDamage(db)
  if (problem !== undefined) throw damaged(file, problem)
}

/** Faults that SQLite itself finds in the file, in its words. */
export function structuralDamage(db: DatabaseSync): string[] {
  const rows = db.prepare('PRAGMA quick_check(10)').all()
  return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok')
}

function bringUpToDate(
  store: SqliteStore,
  projections: readonly Projection[],
  progress: Progress | undefined,
): void {
  const { db, end } = store
  db.exec('BEGIN IMMEDIATE')
  freezeOthers(db, projections, end)
  for (const projection of projections) {
    const applied = appliedOf(db, projection)
    if (applied === undefined) foldAnew(store, projection, progress)
    // One that was frozen at the end goes on with every event again; one that follows stays where it is.
    else if (applied !== 'live' && (applied < end || !projection.follows))
      foldFrom(store, projection, { applied, ...(progress && { progress }) })
  }
  if (lacksRows(store, projections))
    for (const projection of projections) foldAnew(store, projection, progress)
  db.exec('COMMIT')
  store.forgetRows()
}

/** Whether the rows are complete and of this program's version. A reader cannot write those that are not. */
function isFolded(store: SqliteStore, projections: readonly Projection[]): boolean {
  const isBehind = (projection: Projection): boolean => {
    const applied = appliedOf(store.db, projection)
    return applied === undefined || (applied !== 'live' && !projection.follows)
  }
  return !projections.some(isBehind) && !lacksRows(store, projections)
}
