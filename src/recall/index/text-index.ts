import type { BranchId } from '../../event/id.ts'
import type { Columns } from './columns.ts'
import type { Document } from '../document.ts'

/** An inverted index over the log's documents. All of it can be made again from the log. */
export interface TextIndex {
  /**
   * Position in the log up to which everything is indexed. Asking for it also looks at what other processes added:
   * everything else here stays as it was at that moment.
   */
  readonly watermark: number
  readonly columns: Columns
  /** By number. */
  readonly branches: readonly BranchId[]
  readonly speakers: readonly string[]
  /** The documents with a term, ascending; not to be written to. Terms are what `termsOf` makes of a text. */
  postings(term: string): Postings
  /** How many documents have a term: far cheaper than its postings. */
  count(term: string): number
  /** Words of documents that a person may have meant by one that none has, the likeliest first. */
  near(typed: string): readonly string[]
  /** Adds what the log has behind the watermark, up to the position `to`: all of it or nothing. */
  add(documents: readonly Document[], to: number): void
  /** Forgets everything: it was made from another log. */
  clear(): void
  close(): void
}

export interface Postings {
  readonly documents: Uint32Array
  /** How often the term stands in each; at most 255. */
  readonly counts: Uint8Array
}
