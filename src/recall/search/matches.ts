import { documentKinds } from '../contract/document.ts'
import { KIND_MASK, type Columns, type Postings } from '../contract/text-index.ts'
import { B, K1 } from './weights.ts'

/** One of the terms that are looked for: what it is worth where it stands. */
export interface Worth {
  readonly postings: Postings
  readonly gain: number
}

/** One bit per term in a 32-bit number. */
export const TERMS_MAX = 32
const BLOCK_DOCUMENTS = 16_384
/** Words of a message, before any person said one. */
const WORDS_USUAL = 25

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
      const size = Math.ceil(count * 1.125)
      this.terms = new Uint32Array(size)
      this.scores = new Float32Array(size)
      this.sessionTerms = new Uint32Array(size)
    } else {
      const { terms, scores, sessionTerms } = this
      const [documents, sessions] = [this.documents.all, this.sessions.all]
      for (let at = 0; at < documents.length; at++) {
        const document = documents[at] as number
        terms[document] = 0
        scores[document] = 0
      }
      for (let at = 0; at < sessions.length; at++) sessionTerms[sessions[at] as number] = 0
    }
    this.documents.clear()
    this.sessions.clear()
  }

  /** Notes where these terms stand, in one bit after the other. */
  add(worths: readonly Worth[], columns: Columns, firstBit = 0): void {
    const reached = worths.map(() => 0)
    const last = Math.max(-1, ...worths.map(({ postings }) => postings.documents.at(-1) ?? -1))
    // Block by block: what one term brought into the processor's cache, the others find there.
    for (let end = BLOCK_DOCUMENTS; end - BLOCK_DOCUMENTS <= last; end += BLOCK_DOCUMENTS)
      for (const [at, worth] of worths.entries())
        reached[at] = this.#addUpTo(end, { bit: firstBit + at, worth, from: reached[at] as number, columns })
  }

  /** Postings before the place `from` are noted already. */
  #addUpTo(
    end: number,
    { bit, worth, from, columns }: { bit: number; worth: Worth; from: number; columns: Columns },
  ): number {
    const { terms, scores, sessionTerms, documents, sessions } = this
    const { words, session } = columns
    const { postings, gain } = worth
    const perWord = (K1 * B) / averageWordsIn(columns)
    const flag = (1 << bit) >>> 0
    const most = gain * (K1 + 1)
    let at = from
    for (; at < postings.documents.length; at++) {
      const document = postings.documents[at] as number
      if (document >= end) break
      const count = postings.counts[at] as number
      const before = terms[document] as number
      if (before === 0) documents.push(document)
      terms[document] = before | flag
      const length = K1 * (1 - B) + perWord * (words[document] as number)
      scores[document] = (scores[document] as number) + (most * count) / (count + length)
      const inSession = session[document] as number
      const had = sessionTerms[inSession] as number
      if (had === 0) sessions.push(inSession)
      sessionTerms[inSession] = had | flag
    }
    return at
  }
}

const USER = documentKinds.indexOf('user')
const counted = new WeakMap<Columns, { looked: number; count: number; words: number }>()

/**
 * Average words of what people say, to which all lengths are compared: beside the long replies of an assistant, every
 * message of a person would be short. Each document is counted once; a rebuilt index has new columns.
 */
export function averageWordsIn(columns: Columns): number {
  const known = counted.get(columns) ?? { looked: 0, count: 0, words: 0 }
  counted.set(columns, known)
  for (; known.looked < columns.count; known.looked++) {
    if (((columns.flags[known.looked] as number) & KIND_MASK) !== USER) continue
    known.count++
    known.words += columns.words[known.looked] as number
  }
  return known.count === 0 ? WORDS_USUAL : Math.max(1, known.words / known.count)
}

/** Worth of a term that occurs once in a document of this length (BM25). */
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
