import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { ColumnStore } from './column-store.ts'
import { DamageError } from '../contract/index-error.ts'
import { BLOCK_DOCUMENTS, CHUNK_DOCUMENTS, type State } from './index-schema.ts'
import type { ChunkPostings, Piece } from './postings.ts'

/** The facts about all documents, in memory. */
export interface Loaded {
  readonly columns: ColumnStore
  readonly branches: Names
  readonly speakers: Names
}

/** The index's tables: everything that is SQL, and no decisions. */
export class IndexStorage {
  readonly #db: DatabaseSync
  readonly #state: StatementSync
  readonly #putPosting: StatementSync
  readonly #postings: StatementSync
  readonly #count: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#state = db.prepare('SELECT version, generation, watermark, documents FROM state WHERE id = 0')
    this.#putPosting = db.prepare(
      `INSERT INTO posting VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         count = count + excluded.count, documents = CAST(documents || excluded.documents AS BLOB)`,
    )
    const chunks = 'chunk CROSS JOIN posting ON posting.chunk = chunk.number'
    this.#postings = db.prepare(
      `SELECT chunk, count, documents FROM ${chunks} WHERE number >= ? AND term = ? ORDER BY number`,
    )
    this.#count = db.prepare(
      `SELECT sum(count) AS count FROM ${chunks} WHERE number >= ? AND number < ? AND term = ?`,
    )
  }

  state(): State {
    const state = this.#state.get() as unknown as State | undefined
    if (state === undefined) throw new DamageError('it has no state')
    return state
  }

  postings(term: string, fromChunk: number): ChunkPostings[] {
    return this.#postings.all(fromChunk, term).map((row) => {
      const bytes = row['documents'] as Uint8Array | null
      if (bytes === null) throw new DamageError(`postings of ${term} are missing`)
      return { base: (row['chunk'] as number) * CHUNK_DOCUMENTS, documents: row['count'] as number, bytes }
    })
  }

  /** How many documents in these chunks have a term. */
  countIn(term: string, { from, to }: { from: number; to: number }): number {
    return (this.#count.get(from, to, term)?.['count'] as number | null | undefined) ?? 0
  }

  addChunk(chunk: number): void {
    this.#db.prepare('INSERT OR IGNORE INTO chunk VALUES (?)').run(chunk)
  }

  putPiece(chunk: number, { term, documents, bytes }: Piece): void {
    this.#putPosting.run(chunk, term, documents, bytes)
  }

  /** Writes the columns from the document `from` on, and new names. */
  save({ columns, branches, speakers }: Loaded, from: number): void {
    const put = this.#db.prepare('INSERT OR REPLACE INTO block VALUES (?, ?, ?)')
    for (let block = blockOf(from); block * BLOCK_DOCUMENTS < columns.count; block++) {
      const first = block * BLOCK_DOCUMENTS
      const bytes = columns.bytes(first, Math.min(columns.count, first + BLOCK_DOCUMENTS))
      put.run(block, bytes, crc32(bytes))
    }
    this.#saveNames('branch', branches)
    this.#saveNames('speaker', speakers)
  }

  setState(watermark: number, documents: number): void {
    this.#db.prepare('UPDATE state SET watermark = ?, documents = ? WHERE id = 0').run(watermark, documents)
  }

  /** Loads what the file has and `loaded` does not. */
  load({ columns, branches, speakers }: Loaded): void {
    const from = blockOf(columns.count)
    const blocks = this.#db.prepare('SELECT * FROM block WHERE number >= ? ORDER BY number')
    columns.reserve(this.state().documents)
    for (const row of blocks.iterate(from)) {
      const [number, bytes] = [row['number'] as number, row['columns'] as Uint8Array | null]
      // In a truncated file SQLite may return null for a column that is never null.
      const isRight = bytes !== null && crc32(bytes) === row['checksum']
      if (!isRight || !columns.load(number * BLOCK_DOCUMENTS, bytes))
        throw new DamageError(`block ${number} is damaged`)
    }
    if (columns.count !== this.state().documents) throw new DamageError('columns are missing')
    this.#loadNames('branch', branches)
    this.#loadNames('speaker', speakers)
  }

  #saveNames(table: 'branch' | 'speaker', names: Names): void {
    const put = this.#db.prepare(`INSERT INTO ${table} VALUES (?, ?)`)
    for (let number = this.#countNames(table); number < names.list.length; number++) {
      put.run(number, names.list[number] as string)
    }
  }

  #loadNames(table: 'branch' | 'speaker', names: Names): void {
    const rows = this.#db.prepare(`SELECT name FROM ${table} WHERE number >= ? ORDER BY number`)
    for (const { name } of rows.all(names.list.length)) names.add(name as string)
  }

  #countNames(table: 'branch' | 'speaker'): number {
    const row = this.#db.prepare(`SELECT ifnull(max(number), -1) + 1 AS count FROM ${table}`).get()
    return row?.['count'] as number
  }
}

export function nothingLoaded(): Loaded {
  return { columns: new ColumnStore(), branches: new Names(), speakers: new Names() }
}

function blockOf(document: number): number {
  return Math.floor(document / BLOCK_DOCUMENTS)
}

/** Names and their numbers, in the order in which they came. */
class Names {
  readonly list: string[] = []
  readonly #numbers = new Map<string, number>()

  numberOf(name: string): number {
    return this.#numbers.get(name) ?? this.add(name)
  }

  /** Two stored names can be the same if one could not be stored as it was. */
  add(name: string): number {
    const number = this.list.push(name) - 1
    if (!this.#numbers.has(name)) this.#numbers.set(name, number)
    return number
  }
}
