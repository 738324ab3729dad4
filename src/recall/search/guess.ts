import { isShort, stepFrom } from './chain.ts'
import { NONE, type Columns } from '../index/columns.ts'
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

  constructor(columns: Columns, matches: Matches, sumOf: (terms: number) => number) {
    this.#columns = columns
    this.#matches = matches
    this.#sumOf = sumOf
    this.#averageWords = averageWordsIn(columns)
  }

  of(document: number): number {
    const { previous, next } = this.#columns
    const own = this.#matches.terms[document] as number
    const before = this.#beside(document, { way: previous, shares: BEFORE, seen: own })
    const after = this.#beside(document, { way: next, shares: AFTER, seen: own | before.seen })
    return (this.#matches.scores[document] as number) + before.sum + after.sum
  }

  #beside(document: number, { way, shares, seen }: Beside): { sum: number; seen: number } {
    let [sum, other, all] = [0, document, seen]
    for (let step = 0; step < shares.length; step++) {
      other = stepFrom(this.#columns, way, other)
      if (other === NONE) break
      const more = (this.#matches.terms[other] as number) & ~all
      if (more === 0 || !isShort(this.#columns, other)) continue
      const once = onceIn(this.#columns.words[other] as number, this.#averageWords)
      sum += (shares[step] as number) * once * this.#sumOf(more >>> 0)
      all |= more
    }
    return { sum, seen: all }
  }
}

interface Beside {
  readonly way: Uint32Array
  readonly shares: readonly number[]
  /** Terms that count elsewhere. */
  readonly seen: number
}
