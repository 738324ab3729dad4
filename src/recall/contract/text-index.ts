import type { BranchId } from '../../event/id.ts'
import type { Document } from './document.ts'

/** An inverted index over the log's documents. It can be rebuilt from the log. */
export interface TextIndex {
  /**
   * Position in the log up to which everything is indexed. Reading it also loads what other processes added; everything
   * else here stays as it was at that moment.
   */
  readonly watermark: number
  readonly columns: Columns
  /** By number. */
  readonly branches: readonly BranchId[]
  readonly speakers: readonly string[]
  /** The documents with a term, ascending; do not write to the arrays. `termsOf` gives the terms of a text. */
  postings(term: string): Postings
  /** How many documents have a term: far cheaper than its postings. */
  count(term: string): number
  /** Indexed words that an unknown word may be a typo of, the likeliest first. */
  near(typed: string): readonly string[]
  /** Adds the documents after the watermark up to position `to`, all or none. */
  add(documents: readonly Document[], to: number): void
  /** Deletes everything, because it was made from another log. */
  clear(): void
  close(): void
}

export interface Postings {
  readonly documents: Uint32Array
  /** How often the term occurs in each; at most 255. */
  readonly counts: Uint8Array
}

/**
 * Facts about every document, in arrays by document number: a search reads thousands of documents, and rows would take a
 * hundred times as long. Documents are numbered from 0 in the order of the log.
 */
export interface Columns {
  readonly count: number
  /** Position in the log. */
  readonly position: Uint32Array
  /** Which summary of its event. */
  readonly part: Uint8Array
  /** Seconds since 1970. */
  readonly at: Uint32Array
  /** Number of its branch, see `TextIndex.branches`. */
  readonly branch: Uint32Array
  /** Number of its speaker, see `TextIndex.speakers`. */
  readonly speaker: Uint32Array
  /** How many words it has, stop words among them; at most 65,535. */
  readonly words: Uint16Array
  /** Index into `documentKinds` in the three lowest bits; above them the traits of its text. */
  readonly flags: Uint8Array
  /** The first document of its session: messages of one branch without a long pause between them. */
  readonly session: Uint32Array
  /** The messages before and after it in its branch and session; `NONE`: there is none. */
  readonly previous: Uint32Array
  readonly next: Uint32Array
}

export const NONE = 0xffff_ffff
export const KIND_MASK = 0b111

/** Traits of a text, in the flags above the kind. */
/** Asks for something from now on, or tells what its speaker prefers. */
export const IS_WISH = 1 << 3
export const HAS_TIME = 1 << 4
export const HAS_NUMBER = 1 << 5
/** It contains a question. */
export const HAS_QUESTION = 1 << 6
export const FIRST_PERSON = 1 << 7
