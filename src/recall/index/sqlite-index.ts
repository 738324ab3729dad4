import type { DatabaseSync } from 'node:sqlite'
import type { BranchId } from '../../event/id.ts'
import { addDocuments } from './adding.ts'
import type { Columns, Postings, TextIndex } from '../contract/text-index.ts'
import type { Document } from '../contract/document.ts'
import { IndexError, isLost, isTakenOver, toIndexError } from '../contract/index-error.ts'
import { openIndexFile, putAway, type Place } from './index-file.ts'
import { CHUNK_DOCUMENTS, INDEX_VERSION, inTransaction, makeTables, type State } from './index-schema.ts'
import { IndexStorage, nothingLoaded, type Loaded } from './index-storage.ts'
import { PostingsCache, TermCounts } from './postings-cache.ts'
import { joinPostings, readPostings } from './postings.ts'
import { Vocabulary } from './vocabulary.ts'
import { termsOf } from '../words/words.ts'

/** Opens the index in a file, which many processes may share, or an empty one in memory. Throws `IndexError` only. */
export function openTextIndex(place: Place): TextIndex {
  try {
    return new SqliteIndex(place)
  } catch (error) {
    throw toIndexError(nameOf(place), error)
  }
}

class SqliteIndex implements TextIndex {
  #place: Place
  #db: DatabaseSync
  #storage: IndexStorage
  #vocabulary: Vocabulary
  readonly #cache = new PostingsCache()
  readonly #counts = new TermCounts()
  #state: State
  #loaded: Loaded | undefined
  #isClosed = false

  constructor(place: Place) {
    this.#place = place
    this.#db = openIndexFile(place)
    this.#storage = new IndexStorage(this.#db)
    this.#vocabulary = new Vocabulary(this.#db)
    this.#state = this.#storage.state()
  }

  get watermark(): number {
    return this.#guard(nothing, () => {
      this.#look()
      return this.#state.watermark
    })
  }

  get columns(): Columns {
    return this.#guard(nothingLoaded, () => this.#all()).columns
  }

  get branches(): readonly BranchId[] {
    return this.#guard(nothingLoaded, () => this.#all()).branches.list as BranchId[]
  }

  get speakers(): readonly string[] {
    return this.#guard(nothingLoaded, () => this.#all()).speakers.list
  }

  postings(term: string): Postings {
    return this.#guard(noPostings, () => {
      const end = this.#all().columns.count
      const cached = this.#cache.get(term)
      if (cached?.end === end) return cached
      const chunk = Math.floor((cached?.end ?? 0) / CHUNK_DOCUMENTS)
      const read = readPostings(this.#storage.postings(term, chunk), end)
      const postings = cached === undefined ? read : joinPostings(cached, chunk * CHUNK_DOCUMENTS, read)
      this.#cache.put(term, { ...postings, end })
      return postings
    })
  }

  count(term: string): number {
    return this.#guard(nothing, () => {
      const full = Math.floor(this.#all().columns.count / CHUNK_DOCUMENTS)
      return this.#counts.of(term, full, this.#storage)
    })
  }

  near(typed: string): readonly string[] {
    const countOf = (word: string) => this.count(termsOf(word)[0] ?? '')
    return this.#guard(noWords, () => this.#vocabulary.near(typed, countOf))
  }

  add(documents: readonly Document[], to: number): void {
    const known = this.#state
    this.#guard(noValue, () => {
      inTransaction(this.#db, 'IMMEDIATE', () => {
        const state = this.#storage.state()
        // The index was restarted meanwhile: the documents before these are missing.
        if (state.version !== known.version || state.generation !== known.generation) return
        if (state.watermark >= to) return
        const missing = documents.filter(({ position }) => position > state.watermark)
        const loaded = this.#bringUp()
        addDocuments(missing, { loaded, storage: this.#storage, vocabulary: this.#vocabulary })
        this.#storage.setState(to, loaded.columns.count)
      })
      this.#look()
    })
  }

  clear(): void {
    this.#guard(noValue, () => {
      inTransaction(this.#db, 'IMMEDIATE', () => makeTables(this.#db))
      this.#forget()
      this.#look()
    })
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#db.close()
  }

  /** Looks whether another process changed the file. */
  #look(): void {
    const state = this.#storage.state()
    if (state.version !== INDEX_VERSION) {
      // A program of another version has taken over the file: this one continues in memory.
      this.#beginIn('memory')
      return
    }
    if (state.generation !== this.#state.generation) this.#forget()
    const hasGrown = this.#loaded !== undefined && this.#loaded.columns.count !== state.documents
    this.#state = state
    if (hasGrown) inTransaction(this.#db, 'DEFERRED', () => this.#bringUp())
  }

  #all(): Loaded {
    return this.#loaded ?? inTransaction(this.#db, 'DEFERRED', () => this.#bringUp())
  }

  /** Inside a transaction. */
  #bringUp(): Loaded {
    const loaded = this.#loaded ?? nothingLoaded()
    this.#storage.load(loaded)
    this.#state = this.#storage.state()
    this.#loaded = loaded
    return loaded
  }

  #forget(): void {
    this.#loaded = undefined
    this.#cache.clear()
    this.#counts.clear()
    this.#vocabulary.forget()
  }

  /** Rebuilds a damaged index. Nobody is told: it is only behind for a while. */
  #guard<T>(instead: () => T, work: () => T): T {
    if (this.#isClosed) throw new IndexError('closed', 'the search index is closed')
    try {
      return work()
    } catch (error) {
      this.#forget()
      if (isLost(error)) this.#renew()
      else if (isTakenOver(error)) this.#beginIn('memory')
      else throw toIndexError(nameOf(this.#place), error)
      return instead()
    }
  }

  #renew(): void {
    try {
      this.#db.close()
      if (this.#place !== 'memory') putAway(this.#place.file)
      this.#beginIn(this.#place)
    } catch {
      this.#beginIn('memory')
    }
  }

  #beginIn(place: Place): void {
    if (this.#db.isOpen) this.#db.close()
    this.#place = place
    this.#db = openIndexFile(place)
    this.#storage = new IndexStorage(this.#db)
    this.#vocabulary = new Vocabulary(this.#db)
    this.#forget()
    this.#state = this.#storage.state()
  }
}

const nothing = () => 0
const noValue = () => undefined
const noWords = (): readonly string[] => []
const noPostings = (): Postings => ({ documents: new Uint32Array(), counts: new Uint8Array() })

function nameOf(place: Place): string {
  return place === 'memory' ? 'in memory' : place.file
}
