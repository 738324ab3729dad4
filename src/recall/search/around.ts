import { HAS_QUESTION, NONE, type Columns } from '../index/columns.ts'
import { onceIn, type Matches } from './matches.ts'
import { AFTER, ANSWERS, BEFORE, NEIGHBOUR_WORDS_MAX } from './weights.ts'

/** Looks at a document and what was said around it, and says what its terms are worth. */
export class Around {
  readonly #columns: Columns
  readonly #averageWords: number
  /** Of the term of each bit. */
  readonly #gains: readonly number[]
  readonly #best: Float64Array
  readonly #isSet: number[] = []

  constructor(columns: Columns, averageWords: number, gains: readonly number[]) {
    this.#columns = columns
    this.#averageWords = averageWords
    this.#gains = gains
    this.#best = new Float64Array(gains.length)
  }

  /** Each term counts once: where it counts most, in the document itself or in a neighbour. */
  score(document: number, { terms, scores }: Pick<Matches, 'terms' | 'scores'>): number {
    const own = terms[document] as number
    const once = onceIn(this.#columns.words[document] as number, this.#averageWords)
    this.#take(own, once)
    const ownOnce = this.#sum()
    this.#look(document, { terms, next: this.#columns.previous, shares: BEFORE, answers: ANSWERS })
    this.#look(document, { terms, next: this.#columns.next, shares: AFTER, answers: 1 })
    const all = this.#sum()
    this.#clear()
    // What stands there more than once is worth a little more.
    return all + Math.max(0, (scores[document] as number) - ownOnce)
  }

  /** Share of the question's terms that stand in the document or right beside it, by what they are worth. */
  coverage(document: number, terms: Uint32Array): number {
    this.#take(terms[document] as number, 1)
    for (const other of [this.#columns.previous[document], this.#columns.next[document]])
      if (other !== undefined && other !== NONE && this.#isShort(other)) this.#take(terms[other] as number, 1)
    const covered = this.#sum()
    this.#clear()
    const all = this.#gains.reduce((sum, gain) => sum + gain, 0)
    return all === 0 ? 0 : covered / all
  }

  #look(
    document: number,
    {
      terms,
      next,
      shares,
      answers,
    }: { terms: Uint32Array; next: Uint32Array; shares: readonly number[]; answers: number },
  ): void {
    const { words, flags } = this.#columns
    let other = document
    for (const [distance, share] of shares.entries()) {
      other = next[other] as number
      // A long reply lies between what was said before it and after it without parting them.
      if (other !== NONE && !this.#isShort(other)) other = next[other] as number
      if (other === NONE) return
      const found = terms[other] as number
      if (found === 0 || !this.#isShort(other)) continue
      const isAsked = distance === 0 && ((flags[other] as number) & HAS_QUESTION) !== 0
      this.#take(found, share * (isAsked ? answers : 1) * onceIn(words[other] as number, this.#averageWords))
    }
  }

  #isShort(document: number): boolean {
    return (this.#columns.words[document] as number) <= NEIGHBOUR_WORDS_MAX
  }

  #take(terms: number, value: number): void {
    for (let rest = terms; rest !== 0; rest &= rest - 1) {
      const bit = 31 - Math.clz32(rest & -rest)
      const before = this.#best[bit] as number
      if (before === 0) this.#isSet.push(bit)
      if (value > before) this.#best[bit] = value
    }
  }

  #sum(): number {
    let sum = 0
    for (const bit of this.#isSet) sum += (this.#best[bit] as number) * (this.#gains[bit] as number)
    return sum
  }

  #clear(): void {
    for (const bit of this.#isSet) this.#best[bit] = 0
    this.#isSet.length = 0
  }
}
