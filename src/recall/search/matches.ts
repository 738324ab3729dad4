import type { Columns } from '../index/columns.ts'
import type { Postings } from '../index/text-index.ts'
import { B, K1 } from './weights.ts'

/** One of the terms that are looked for: what it is worth where it stands. */
export interface Worth {
  readonly postings: Postings
  readonly gain: number
}

/** Bits of a number: so many terms can be told apart in one document. */
export const TERMS_MAX = 32

/**
 * Which terms stand where: for each document and each session a bit for each term. Arrays over all documents that are
 * used for many searches; clearing them costs what the last search touched, not what the log has.
 */
export class Matches {
  terms: Uint32Array = new Uint32Array(0)
  /** BM25 of the document's own words. */
  scores: Float32Array = new Float32Array(0)
  sessionTerms: Uint32Array = new Uint32Array(0)
  readonly documents = new Numbers()
  readonly sessions = new Numbers()

  clear(count: number): void {
    if (count > this.terms.length) {
      const size = Math.ceil(count * 1.25)
      this.terms = new Uint32Array(size)
      this.scores = new Float32Array(size)
      this.sessionTerms = new Uint32Array(size)
    } else {
      for (const document of this.documents.all) {
        this.terms[document] = 0
        this.scores[document] = 0
      }
      for (const session of this.sessions.all) this.sessionTerms[session] = 0
    }
    this.documents.clear()
    this.sessions.clear()
  }

  /** Notes one term, in the bit of this number, wherever it stands. */
  add(bit: number, { postings, gain }: Worth, { columns, averageWords }: Measured): void {
    const { terms, scores, sessionTerms, documents, sessions } = this
    const { words, session } = columns
    const flag = (1 << bit) >>> 0
    for (let at = 0; at < postings.documents.length; at++) {
      const document = postings.documents[at] as number
      const count = postings.counts[at] as number
      const before = terms[document] as number
      if (before === 0) documents.push(document)
      terms[document] = before | flag
      const length = K1 * (1 - B + (B * (words[document] as number)) / averageWords)
      scores[document] = (scores[document] as number) + (gain * count * (K1 + 1)) / (count + length)
      const inSession = session[document] as number
      const had = sessionTerms[inSession] as number
      if (had === 0) sessions.push(inSession)
      sessionTerms[inSession] = had | flag
    }
  }
}

export interface Measured {
  readonly columns: Columns
  readonly averageWords: number
}

/** What a term is worth that stands once in a document of this length. */
export function onceIn(words: number, averageWords: number): number {
  return (K1 + 1) / (1 + K1 * (1 - B + (B * words) / averageWords))
}

const GAIN_MIN = 0.05

/** The rarer the word, the more it tells. */
export function gainOf(documentsWith: number, documents: number): number {
  return Math.max(GAIN_MIN, Math.log((documents - documentsWith + 0.5) / (documentsWith + 0.5)))
}

/** A growing list of numbers. */
export class Numbers {
  #numbers = new Uint32Array(1_024)
  #count = 0

  get all(): Uint32Array {
    return this.#numbers.subarray(0, this.#count)
  }

  clear(): void {
    this.#count = 0
  }

  push(number: number): void {
    if (this.#count === this.#numbers.length) {
      const longer = new Uint32Array(this.#numbers.length * 2)
      longer.set(this.#numbers)
      this.#numbers = longer
    }
    this.#numbers[this.#count++] = number
  }
}
