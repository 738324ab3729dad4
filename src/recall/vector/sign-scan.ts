/** Signs of many documents, in blocks of `documents` each; the last block may be partly filled. */
export interface Signs {
  readonly blocks: readonly Uint32Array[]
  readonly count: number
  readonly blockDocuments: number
  /** A multiple of four. */
  readonly words: number
}

/** The documents whose signs differ least from the query's, the nearest first; ties go to the earlier one. */
export function nearestSigns(
  signs: Signs,
  { query, limit, mayBe }: { query: Uint32Array; limit: number; mayBe: (document: number) => boolean },
): Uint32Array {
  const found = new Nearest(32 * signs.words, limit)
  if (limit < 1) return found.sorted()
  for (const [number, block] of signs.blocks.entries()) {
    const first = number * signs.blockDocuments
    const documents = Math.min(signs.blockDocuments, signs.count - first)
    scanBlock({ block, documents, first, query, words: signs.words }, found, mayBe)
  }
  return found.sorted()
}

function scanBlock(
  scan: { block: Uint32Array; documents: number; first: number; query: Uint32Array; words: number },
  found: Nearest,
  mayBe: (document: number) => boolean,
): void {
  const { block, documents, first, query, words } = scan
  for (let document = 0; document < documents; document++) {
    const from = document * words
    let distance = fourWords(block, from, query, 0)
    for (let at = 4; at < words && distance <= found.farthest; at += 4) {
      distance += fourWords(block, from + at, query, at)
    }
    if (distance <= found.farthest && mayBe(first + document)) found.add(first + document, distance)
  }
}

/**
 * How many of 128 bits differ. Three words are first added bit by bit, which leaves three words to count instead of
 * four; the rest is the usual parallel count, in groups of two, four and eight bits.
 */
// oxlint-disable-next-line max-params -- an object for each of a million documents would cost more than the count
function fourWords(block: Uint32Array, from: number, query: Uint32Array, at: number): number {
  const a = (block[from] as number) ^ (query[at] as number)
  const b = (block[from + 1] as number) ^ (query[at + 1] as number)
  const c = (block[from + 2] as number) ^ (query[at + 2] as number)
  let rest = (block[from + 3] as number) ^ (query[at + 3] as number)
  const either = a ^ b
  let ones = either ^ c
  let twos = (a & b) | (either & c)
  ones -= (ones >>> 1) & 0x5555_5555
  rest -= (rest >>> 1) & 0x5555_5555
  twos -= (twos >>> 1) & 0x5555_5555
  ones =
    (ones & 0x3333_3333) + ((ones >>> 2) & 0x3333_3333) + (rest & 0x3333_3333) + ((rest >>> 2) & 0x3333_3333)
  twos = (twos & 0x3333_3333) + ((twos >>> 2) & 0x3333_3333)
  ones = (ones & 0x0f0f_0f0f) + ((ones >>> 4) & 0x0f0f_0f0f)
  twos = (twos & 0x0f0f_0f0f) + ((twos >>> 4) & 0x0f0f_0f0f)
  return Math.imul(ones + twos + twos, 0x0101_0101) >>> 24
}

/** Keeps the documents that may still be among the nearest; the count at each distance gives the limit. */
class Nearest {
  farthest: number
  readonly #limit: number
  readonly #counts: Uint32Array
  readonly #documents: number[] = []
  readonly #distances: number[] = []
  #within = 0

  constructor(distanceMax: number, limit: number) {
    this.farthest = distanceMax
    this.#limit = limit
    this.#counts = new Uint32Array(distanceMax + 1)
  }

  add(document: number, distance: number): void {
    this.#documents.push(document)
    this.#distances.push(distance)
    this.#counts[distance] = (this.#counts[distance] as number) + 1
    this.#within++
    for (;;) {
      const atEdge = this.#counts[this.farthest] as number
      if (this.#within - atEdge < this.#limit) return
      this.#within -= atEdge
      this.farthest--
    }
  }

  /** A counting sort: the place of each distance's first document is known. */
  sorted(): Uint32Array {
    const places = new Uint32Array(this.farthest + 1)
    for (let distance = 1; distance <= this.farthest; distance++) {
      places[distance] = (places[distance - 1] as number) + (this.#counts[distance - 1] as number)
    }
    const sorted = new Uint32Array(this.#within)
    for (const [at, distance] of this.#distances.entries()) {
      if (distance > this.farthest) continue
      const place = places[distance] as number
      sorted[place] = this.#documents[at] as number
      places[distance] = place + 1
    }
    return sorted.subarray(0, Math.min(this.#limit, this.#within))
  }
}
