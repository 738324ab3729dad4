import { isShort, stepFrom } from './chain.ts'
import { NONE, type Columns } from '../contract/text-index.ts'
import { averageWordsIn, onceIn, type Matches } from './matches.ts'
import { AFTER, BEFORE } from './weights.ts'

/** What sets of terms are worth, by their bits: few of all there could be are met. */
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

/** What `Around` would say, but for questions and for a term in several neighbours: there the nearer one counts. */
export class Guess {
  readonly #columns: Columns
  readonly #matches: Matches
  readonly #sumOf: (terms: number) => number
  readonly #averageWords: number
  /** Terms that count already. An object for each document would be tens of thousands for each search. */
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
      other = stepFrom(this.#columns, way, other)
      if (other === NONE) break
      const more = (this.#matches.terms[other] as number) & ~this.#seen
      if (more === 0 || !isShort(this.#columns, other)) continue
      const once = onceIn(this.#columns.words[other] as number, this.#averageWords)
      sum += (shares[step] as number) * once * this.#sumOf(more >>> 0)
      this.#seen |= more
    }
    return sum
  }
}
