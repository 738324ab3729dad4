import type { Postings } from '../contract/text-index.ts'
import type { IndexStorage } from './index-storage.ts'

const BYTES_MAX = 12 * 1024 * 1024
const BYTES_PER_POSTING = 5
/** Shorter postings are read from the file just as fast. */
const DOCUMENTS_MIN = 1_024

interface CachedPostings extends Postings {
  /** Number of indexed documents when they were read. */
  readonly end: number
}

/** Postings of frequent, recently used terms, so that they are not read for every question. */
export class PostingsCache {
  /** In the order of use, the least recent first. */
  readonly #entries = new Map<string, CachedPostings>()
  #bytes = 0

  get(term: string): CachedPostings | undefined {
    const found = this.#entries.get(term)
    if (found === undefined) return undefined
    this.#entries.delete(term)
    this.#entries.set(term, found)
    return found
  }

  put(term: string, postings: CachedPostings): void {
    this.#drop(term)
    if (postings.documents.length < DOCUMENTS_MIN) return
    this.#entries.set(term, postings)
    this.#bytes += bytesOf(postings)
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= BYTES_MAX) break
      this.#drop(oldest)
    }
  }

  clear(): void {
    this.#entries.clear()
    this.#bytes = 0
  }

  #drop(term: string): void {
    const found = this.#entries.get(term)
    if (found === undefined) return
    this.#entries.delete(term)
    this.#bytes -= bytesOf(found)
  }
}

function bytesOf({ documents }: Postings): number {
  return documents.length * BYTES_PER_POSTING
}

const TERMS_MAX = 32_768

/** How many documents have a term, remembered for the chunks that do not change. */
export class TermCounts {
  /** The count in the chunks before `chunk`, which are full: nothing is added to them any more. */
  readonly #counted = new Map<string, { readonly chunk: number; readonly count: number }>()

  of(term: string, full: number, storage: Pick<IndexStorage, 'countIn'>): number {
    const rest = storage.countIn(term, { from: full, to: full + 1 })
    if (full === 0) return rest
    const known = this.#counted.get(term) ?? { chunk: 0, count: 0 }
    if (known.chunk === full) return known.count + rest
    const count = known.count + storage.countIn(term, { from: known.chunk, to: full })
    if (this.#counted.size >= TERMS_MAX) this.#counted.clear()
    this.#counted.set(term, { chunk: full, count })
    return count + rest
  }

  clear(): void {
    this.#counted.clear()
  }
}
