import type { Postings } from '../contract/text-index.ts'

const BYTES_MAX = 12 * 1024 * 1024
const BYTES_PER_POSTING = 5
/** Fewer are read from the file as fast. */
const DOCUMENTS_MIN = 1_024

export interface CachedPostings extends Postings {
  /** So many documents the index had when they were read. */
  readonly end: number
}

/** Postings of frequent terms that were asked for lately, so that they are not read for every question. */
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
