import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openToGlance } from '../../log/sqlite-file.ts'
import { pragma } from '../../log/sqlite-schema.ts'
import { putAway } from '../../recall/index/index-file.ts'
import { APPLICATION_ID, INDEX_VERSION } from '../../recall/index/index-schema.ts'
import { vectorsFile } from '../../recall/vector/sqlite-vectors.ts'

/** How far the index of a home is, as its files say without being opened for use. */
export type RecallState =
  | { readonly kind: 'none' }
  /** Damaged, of another version, or no index: it is made anew when it is next used. */
  | { readonly kind: 'unusable'; readonly because: string; readonly bytes: number }
  | {
      readonly kind: 'indexed'
      readonly upTo: number
      readonly documents: number
      /** How many documents have a vector, by what made them. */
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

/** Takes index and vectors away: all of it can be made again from the log. What is no index is kept under another name. */
export function removeIndex(home: string): void {
  putAway(indexFile(home))
  for (const path of filesOf(home)) rmSync(path, { force: true })
}

const LENIENT = { throwIfNoEntry: false } as const

/** The index, the vectors, and what SQLite puts beside them. */
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
  if (pragma(db, 'application_id') !== APPLICATION_ID) throw new Error('the file is no search index')
  const row = db.prepare('SELECT version, watermark, documents FROM state WHERE id = 0').get()
  if (row?.['version'] !== INDEX_VERSION) throw new Error('it is of another version')
  return { upTo: row['watermark'] as number, documents: row['documents'] as number }
}

/** Which says when vectors have to be made anew, and nothing to a person. */
const REVISION = /-\d+(?:-[0-9a-f]{16})?$/

function vectorsBeside(file: string): { embedder: string; count: number }[] {
  const vectors = vectorsFile(file)
  if (!existsSync(vectors)) return []
  const rows = glance(vectors, (db) => db.prepare('SELECT name, documents FROM vector_set').all())
  return rows.map((row) => {
    const [id = ''] = (row['name'] as string).split('/')
    return { embedder: id.replace(REVISION, ''), count: row['documents'] as number }
  })
}
