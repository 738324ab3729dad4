import { HAS_QUESTION, NONE, type Columns } from '../contract/text-index.ts'
import { onceIn, type Matches, averageWordsIn } from './matches.ts'
import { AFTER, ANSWERS, BEFORE, NEIGHBOUR_WORDS_MAX } from './weights.ts'

/** Scores a document by its own terms and those of its neighbours. Called for tens of thousands of documents. */
export class Around {
  readonly #columns: Columns
  readonly #averageWords: number
  /** Gain of each term, by its bit. */
  readonly #gains: Float64Array
  readonly #gainOfAll: number
  /** Worth of a term that occurs once in a short document, by the document's length. */
  readonly #once: Float64Array
  /** Terms found around one document, as bits, with the worth of each. */
  readonly #terms = new Uint32Array(BEFORE.length + AFTER.length)
  readonly #worths = new Float64Array(BEFORE.length + AFTER.length)
  #found = 0

  constructor(columns: Columns, averageWords: number, gains: readonly number[]) {
    this.#columns = columns
    this.#averageWords = averageWords
    this.#gains = Float64Array.from(gains)
    this.#gainOfAll = gains.reduce((sum, gain) => sum + gain, 0)
    this.#once = Float64Array.from({ length: NEIGHBOUR_WORDS_MAX + 1 }, (_, words) =>
      onceIn(words, averageWords),
    )
  }

  /** Each term counts once, where it is worth most: in the document or in a neighbour. */
  score(document: number, { terms, scores }: Pick<Matches, 'terms' | 'scores'>): number {
    this.#found = 0
    this.#look(document, terms, { way: this.#columns.previous, shares: BEFORE, answers: ANSWERS })
    this.#look(document, terms, { way: this.#columns.next, shares: AFTER, answers: 1 })
    const own = terms[document] as number
    const once = own === 0 ? 0 : this.#onceIn(document)
    let any = own
    for (let at = 0; at < this.#found; at++) any |= this.#terms[at] as number
    let all = 0
    let ownOnce = 0
    for (; any !== 0; any &= any - 1) {
      const flag = any & -any
      const gain = this.#gains[31 - Math.clz32(flag)] as number
      const isOwn = (own & flag) !== 0
      if (isOwn) ownOnce += once * gain
      all += this.#most(flag, isOwn ? once : 0) * gain
    }
    // Repeated terms are worth a little more.
    return all + Math.max(0, (scores[document] as number) - ownOnce)
  }

  /** Share of the question's terms, by worth, that are in the document or in the message it answers. */
  coverage(document: number, terms: Uint32Array): number {
    const { previous, flags } = this.#columns
    let any = terms[document] as number
    const before = previous[document] as number
    if (before !== NONE && isShort(this.#columns, before) && ((flags[before] as number) & HAS_QUESTION) !== 0)
      any |= terms[before] as number
    let covered = 0
    for (; any !== 0; any &= any - 1) covered += this.#gains[31 - Math.clz32(any & -any)] as number
    return this.#gainOfAll === 0 ? 0 : covered / this.#gainOfAll
  }

  #look(
    document: number,
    terms: Uint32Array,
    { way, shares, answers }: { way: Uint32Array; shares: readonly number[]; answers: number },
  ): void {
    const columns = this.#columns
    let other = document
    for (let distance = 0; distance < shares.length; distance++) {
      other = besideIn(columns, way, other)
      if (other === NONE) return
      const found = terms[other] as number
      if (found === 0) continue
      const isAsked = distance === 0 && ((columns.flags[other] as number) & HAS_QUESTION) !== 0
      this.#terms[this.#found] = found
      this.#worths[this.#found] = (shares[distance] as number) * (isAsked ? answers : 1) * this.#onceIn(other)
      this.#found++
    }
  }

  /** The most that this term is worth, in a neighbour or in the document itself (`own`). */
  #most(flag: number, own: number): number {
    let most = own
    for (let at = 0; at < this.#found; at++) {
      const worth = this.#worths[at] as number
      if (worth > most && ((this.#terms[at] as number) & flag) !== 0) most = worth
    }
    return most
  }

  #onceIn(document: number): number {
    const words = this.#columns.words[document] as number
    return words <= NEIGHBOUR_WORDS_MAX ? (this.#once[words] as number) : onceIn(words, this.#averageWords)
  }
}

export function isShort({ words }: Pick<Columns, 'words'>, document: number): boolean {
  return (words[document] as number) <= NEIGHBOUR_WORDS_MAX
}

/**
 * The message before a document or behind it, whichever column is given; `NONE` if that one is long. A long reply
 * repeats what it answers and parts what was said before it from what was said after it.
 */
export function besideIn(columns: Columns, way: Uint32Array, document: number): number {
  const other = way[document] as number
  return other === NONE || isShort(columns, other) ? other : NONE
}

/** Worth of a set of terms, given as bits; cached, because few different sets occur. */
export function termSums(gains: readonly number[]): (terms: number) => number {
  const sums = new Map<number, number>()
  return (terms) => {
    const known = sums.get(terms)
    if (known !== undefined) return known
    const sum = gains.reduce((all, gain, bit) => ((terms >>> bit) & 1 ? all + gain : all), 0)
    sums.set(terms, sum)
    return sum
  }
}

/** A cheap estimate of `Around`: ignores questions, and of several neighbours with a term counts only the nearest. */
export class Guess {
  readonly #columns: Columns
  readonly #matches: Matches
  readonly #sumOf: (terms: number) => number
  readonly #averageWords: number
  /** Terms counted so far. A field, because an object per document would mean tens of thousands per search. */
  #seen = 0

  constructor(columns: Columns, matches: Matches, sumOf: (terms: number) => number) {
    this.#columns = columns
    this.#matches = matches
    this.#sumOf = sumOf
    this.#averageWords = averageWordsIn(columns)
  }

  of(document: number): number {
    const { previous, next } = this.#columns
    this.#seen = this.#matches.terms[document] as number
    const own = this.#matches.scores[document] as number
    return own + this.#beside(document, previous, BEFORE) + this.#beside(document, next, AFTER)
  }

  #beside(document: number, way: Uint32Array, shares: readonly number[]): number {
    let sum = 0
    let other = document
    for (let step = 0; step < shares.length; step++) {
      other = besideIn(this.#columns, way, other)
      if (other === NONE) break
      const more = (this.#matches.terms[other] as number) & ~this.#seen
      if (more === 0) continue
      const once = onceIn(this.#columns.words[other] as number, this.#averageWords)
      sum += (shares[step] as number) * once * this.#sumOf(more >>> 0)
      this.#seen |= more
    }
    return sum
  }
}
