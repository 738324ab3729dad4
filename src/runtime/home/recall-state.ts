import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openToGlance } from '../../log/sqlite-file.ts'
import { pragma } from '../../log/sqlite-schema.ts'
import { putAway } from '../../recall/index/index-file.ts'
import { APPLICATION_ID, INDEX_VERSION } from '../../recall/index/index-schema.ts'
import { vectorsFile } from '../../recall/vector/sqlite-vectors.ts'

/** The state of a home's search index, read without opening it for use. */
export type RecallState =
  | { readonly kind: 'none' }
  /** Damaged, of another version, or not an index: it is rebuilt at the next use. */
  | { readonly kind: 'unusable'; readonly because: string; readonly bytes: number }
  | {
      readonly kind: 'indexed'
      readonly upTo: number
      readonly documents: number
      /** The number of documents with a vector, by embedder. */
      readonly vectors: readonly { readonly embedder: string; readonly count: number }[]
      readonly bytes: number
    }

export function indexFile(home: string): string {
  return join(home, 'recall.db')
}

export function recallState(home: string): RecallState {
  const file = indexFile(home)
  if (!existsSync(file)) return { kind: 'none' }
  const bytes = filesOf(home).reduce((sum, path) => sum + (statSync(path, LENIENT)?.size ?? 0), 0)
  try {
    return { kind: 'indexed', ...glance(file, stateIn), vectors: vectorsBeside(file), bytes }
  } catch (error) {
    return { kind: 'unusable', because: (error as Error).message, bytes }
  }
}

/** Deletes index and vectors, which can be rebuilt from the log. A file that is not an index is renamed instead. */
export function removeIndex(home: string): void {
  putAway(indexFile(home))
  for (const path of filesOf(home)) rmSync(path, { force: true })
}

const LENIENT = { throwIfNoEntry: false } as const

/** The files of the index and of the vectors, with SQLite's own files next to them. */
function filesOf(home: string): string[] {
  const index = basename(indexFile(home))
  const vectors = basename(vectorsFile(index))
  const isOurs = (name: string): boolean =>
    [index, vectors].some((file) => ['', '-wal', '-shm'].some((end) => name === file + end)) ||
    (name.startsWith(`${vectors}-`) && /^\d+\.(?:rows|signs)$/.test(name.slice(vectors.length + 1)))
  return readdirSync(home)
    .filter(isOurs)
    .map((name) => join(dirname(indexFile(home)), name))
}

function glance<T>(file: string, look: (db: DatabaseSync) => T): T {
  const db = openToGlance(file)
  try {
    return look(db)
  } finally {
    db.close()
  }
}

function stateIn(db: DatabaseSync): { upTo: number; documents: number } {
  if (pragma(db, 'application_id') !== APPLICATION_ID) throw new Error('the file is not a search index')
  const row = db.prepare('SELECT version, watermark, documents FROM state WHERE id = 0').get()
  if (row?.['version'] !== INDEX_VERSION) throw new Error('it has another version')
  return { upTo: row['watermark'] as number, documents: row['documents'] as number }
}

/** What follows an embedder's name: it only matters for rebuilding vectors, so it is not shown. */
const REVISION = /-\d+(?:-[0-9a-f]{16})?\/\d+\/\d+$/

function vectorsBeside(file: string): { embedder: string; count: number }[] {
  const vectors = vectorsFile(file)
  if (!existsSync(vectors)) return []
  const rows = glance(vectors, (db) => db.prepare('SELECT name, documents FROM vector_set').all())
  return rows.map((row) => {
    return {
      embedder: (row['name'] as string).replace(REVISION, ''),
      count: row['documents'] as number,
    }
  })
}
