import type { Postings } from '../contract/text-index.ts'

/** The output of a `PostingsWriter`: pieces of several batches, one after the other. */
export interface ChunkPostings {
  /** Number of the chunk's first document. */
  readonly base: number
  readonly documents: number
  readonly bytes: Uint8Array
}

/** Reads chunks into arrays, without documents from `end` on. It neither throws nor hangs, whatever the bytes are. */
export function readPostings(chunks: readonly ChunkPostings[], end: number): Postings {
  const room = chunks.reduce((sum, { documents }) => sum + documents, 0)
  const documents = new Uint32Array(room)
  const counts = new Uint8Array(room)
  let filled = 0
  for (const { base, bytes } of chunks) {
    let last = base - 1
    for (let at = 0; at < bytes.length && filled < room;) {
      let number = bytes[at++] as number
      if (number === 0) {
        last = base - 1
        continue
      }
      if (number > 127) {
        number &= 127
        for (let shift = 7, more = 128; more > 127; shift += 7) {
          more = bytes[at++] ?? 0
          number |= (more & 127) << shift
        }
      }
      last += number >>> 1
      if (last >= end || last < base) break
      documents[filled] = last
      counts[filled++] = (number & 1) === 1 ? (bytes[at++] ?? 1) : 1
    }
  }
  return filled === room
    ? { documents, counts }
    : { documents: documents.slice(0, filled), counts: counts.slice(0, filled) }
}

/** The postings of `head` before the document `from`, then all of `rest`, which begins there. */
export function joinPostings(head: Postings, from: number, rest: Postings): Postings {
  let kept = head.documents.length
  while (kept > 0 && (head.documents[kept - 1] as number) >= from) kept--
  const documents = new Uint32Array(kept + rest.documents.length)
  documents.set(head.documents.subarray(0, kept))
  documents.set(rest.documents, kept)
  const counts = new Uint8Array(documents.length)
  counts.set(head.counts.subarray(0, kept))
  counts.set(rest.counts, kept)
  return { documents, counts }
}

const COUNT_MAX = 255
const TOKENS_MIN = 4_096
/** The most bytes of a distance and a count. */
const ENTRY_BYTES_MAX = 6

/** A term with the documents of a batch that have it. The bytes are valid until the next piece. */
export interface Piece {
  readonly term: string
  readonly documents: number
  readonly bytes: Uint8Array
}

/**
 * Encodes a batch by term. Each document is twice the distance to the one before it, plus one if a count follows. A piece
 * begins with a zero and counts from the beginning of its chunk, so pieces can be appended without reading the old ones.
 */
export class PostingsWriter {
  readonly #terms = new Map<string, number>()
  /** For each word its term's number and its document. An object per term would be slow to collect. */
  #tokens = new Uint32Array(TOKENS_MIN * 2)
  #length = 0

  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** `document` counts from the beginning of the chunk and must rise. */
  push(document: number, terms: readonly string[]): void {
    this.#reserve(terms.length)
    for (const term of terms) {
      let number = this.#terms.get(term)
      if (number === undefined) {
        number = this.#terms.size
        this.#terms.set(term, number)
      }
      this.#tokens[this.#length++] = number
      this.#tokens[this.#length++] = document
    }
  }

  *pieces(): Iterable<Piece> {
    const { documents, ends } = this.#byTerm()
    let scratch = new Uint8Array(1_024)
    let from = 0
    let number = 0
    for (const term of this.#terms.keys()) {
      const to = ends[number++] as number
      const room = (to - from) * ENTRY_BYTES_MAX + 1
      if (room > scratch.length) scratch = new Uint8Array(room)
      yield { term, ...encode(documents.subarray(from, to), scratch) }
      from = to
    }
  }

  /** The documents of all terms, one term after the other, and where each term ends. */
  #byTerm(): { documents: Uint32Array; ends: Uint32Array } {
    const ends = new Uint32Array(this.#terms.size)
    for (let at = 0; at < this.#length; at += 2) tally(ends, this.#tokens[at] as number)
    for (let number = 0, sum = 0; number < ends.length; number++) {
      const count = ends[number] as number
      ends[number] = sum
      sum += count
    }
    const documents = new Uint32Array(this.#length / 2)
    for (let at = 0; at < this.#length; at += 2) {
      documents[tally(ends, this.#tokens[at] as number)] = this.#tokens[at + 1] as number
    }
    return { documents, ends }
  }

  #reserve(tokens: number): void {
    const needed = this.#length + tokens * 2
    if (needed <= this.#tokens.length) return
    const grown = new Uint32Array(Math.max(needed, this.#tokens.length * 2))
    grown.set(this.#tokens)
    this.#tokens = grown
  }
}

/** Adds one and returns the count before. */
function tally(counts: Uint32Array, index: number): number {
  const before = counts[index] as number
  counts[index] = before + 1
  return before
}

function encode(documents: Uint32Array, into: Uint8Array): { documents: number; bytes: Uint8Array } {
  let length = 0
  let different = 0
  let last = -1
  into[length++] = 0
  for (let at = 0; at < documents.length; different++) {
    const document = documents[at] as number
    let count = 1
    while (++at < documents.length && documents[at] === document) count++
    let rest = (document - last) * 2 + (count > 1 ? 1 : 0)
    for (; rest > 127; rest >>>= 7) into[length++] = (rest & 127) | 128
    into[length++] = rest
    if (count > 1) into[length++] = Math.min(count, COUNT_MAX)
    last = document
  }
  return { documents: different, bytes: into.subarray(0, length) }
}
