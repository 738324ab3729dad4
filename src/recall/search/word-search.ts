import { Around } from './around.ts'
import { NONE, type Columns } from '../index/columns.ts'
import type { MayBe } from './filter.ts'
import { thresholdFor } from './largest.ts'
import { gainOf, Matches, Numbers, TERMS_MAX, type Measured, type Worth } from './matches.ts'
import type { Question } from './question.ts'
import type { TextIndex } from '../index/text-index.ts'
import { IN_SESSION } from './weights.ts'

/** What was found by words, in no order. */
export interface Candidates {
  readonly documents: Uint32Array
  /** What the words of each are worth; who said it and in which session comes on top of it. */
  readonly own: Float32Array
  readonly finish: (own: Float32Array) => Float32Array
  /** Share of the question's words that stand there or right beside it. */
  readonly coverage: (document: number) => number
}

/** Terms that stand in more documents than this share are left out where rarer ones find enough. */
const COMMON = 0.1
const ENOUGH = 2_000
/** So many are looked at with their surroundings, and the neighbours of those. */
const LOOKED_AT = 4_000
const NEIGHBOURS = 3

/** Finds documents by the words of a question. Its arrays are as long as the log, so there is one for an index. */
export class WordSearch {
  readonly #index: TextIndex
  readonly #matches = new Matches()
  readonly #found = new Matches()
  readonly #near = new Numbers()
  #isNear = new Uint8Array(0)
  #words = { count: 0, sum: 0 }

  constructor(index: TextIndex) {
    this.#index = index
  }

  find(question: Question, prior: (document: number) => number, mayBe: MayBe): Candidates {
    const measured = this.#measured()
    const { columns, averageWords } = measured
    const worths = worthsOf(question, columns.count)
    this.#matches.clear(columns.count)
    for (const [bit, worth] of worths.entries()) this.#matches.add(bit, worth, measured)
    const gains = worths.map(({ gain }) => gain)
    const share = sessionShares(this.#matches, gains)
    this.#gather(columns, mayBe)
    const around = new Around(columns, averageWords, gains)
    const { terms } = this.#matches
    const documents = this.#near.all.slice()
    const priors = Float32Array.from(documents, prior)
    return {
      documents,
      own: Float32Array.from(documents, (document) => around.score(document, this.#matches)),
      finish: (own) =>
        own.map((score, at) => {
          const session = columns.session[documents[at] as number] as number
          return score * (priors[at] as number) * (1 + IN_SESSION * share(session))
        }),
      coverage: (document) => around.coverage(document, terms),
    }
  }

  /** What more terms add to candidates that are there already. */
  more(worths: readonly Worth[], documents: Uint32Array): Float32Array {
    const measured = this.#measured()
    const { columns, averageWords } = measured
    this.#found.clear(columns.count)
    for (const [bit, worth] of worths.slice(0, TERMS_MAX).entries())
      this.#found.add(bit, this.#onlyNear(worth), measured)
    const around = new Around(
      columns,
      averageWords,
      worths.map(({ gain }) => gain),
    )
    return Float32Array.from(documents, (document) => around.score(document, this.#found))
  }

  #onlyNear({ postings, gain }: Worth): Worth {
    const documents = new Numbers()
    const counts: number[] = []
    for (const [at, document] of postings.documents.entries()) {
      if (this.#isNear[document] !== 1) continue
      documents.push(document)
      counts.push(postings.counts[at] as number)
    }
    return { gain, postings: { documents: documents.all, counts: Uint8Array.from(counts) } }
  }

  /** The best by their own words, and what stands around them. */
  #gather(columns: Columns, mayBe: MayBe): void {
    this.#forget(columns.count)
    const { documents, scores } = this.#matches
    const allowed = documents.all.filter(mayBe)
    const values = Float32Array.from(allowed, (document) => scores[document] as number)
    const from = thresholdFor(values, LOOKED_AT)
    for (const [at, document] of allowed.entries())
      if ((values[at] as number) >= from) this.#takeWithNeighbours(columns, document, mayBe)
  }

  #takeWithNeighbours(columns: Columns, document: number, mayBe: MayBe): void {
    this.#take(document, mayBe)
    for (const next of [columns.previous, columns.next]) {
      let other = document
      for (let distance = 0; distance < NEIGHBOURS; distance++) {
        other = next[other] as number
        if (other === NONE) break
        this.#take(other, mayBe)
      }
    }
  }

  #take(document: number, mayBe: MayBe): void {
    if (this.#isNear[document] === 1 || !mayBe(document)) return
    this.#isNear[document] = 1
    this.#near.push(document)
  }

  #forget(count: number): void {
    if (count > this.#isNear.length) this.#isNear = new Uint8Array(Math.ceil(count * 1.25))
    else for (const document of this.#near.all) this.#isNear[document] = 0
    this.#near.clear()
  }

  #measured(): Measured {
    const { columns } = this.#index
    const { count, sum } = this.#words
    if (count !== columns.count) {
      let more = count < columns.count ? sum : 0
      const from = count < columns.count ? count : 0
      for (let document = from; document < columns.count; document++)
        more += columns.words[document] as number
      this.#words = { count: columns.count, sum: more }
    }
    return { columns, averageWords: Math.max(1, this.#words.sum / Math.max(1, columns.count)) }
  }
}

/** The terms with what each is worth; very common ones only where rarer ones find little. */
function worthsOf({ sought }: Question, documents: number): Worth[] {
  const worths: Worth[] = []
  let found = 0
  for (const { postings } of sought.slice(0, TERMS_MAX)) {
    const { length } = postings.documents
    if (found >= ENOUGH && length > documents * COMMON) continue
    found += length
    worths.push({ postings, gain: gainOf(length, documents) })
  }
  return worths
}

/** What the terms in a session are worth together, as a share of the best session's. */
function sessionShares(
  { sessions, sessionTerms }: Matches,
  gains: readonly number[],
): (session: number) => number {
  const worths = new Map<number, number>()
  const worthOf = (session: number): number => {
    const terms = sessionTerms[session] as number
    const known = worths.get(terms)
    if (known !== undefined) return known
    const worth = gains.reduce((sum, gain, bit) => ((terms >>> bit) & 1 ? sum + gain : sum), 0)
    worths.set(terms, worth)
    return worth
  }
  let best = 0
  for (const session of sessions.all) best = Math.max(best, worthOf(session))
  return (session) => (best === 0 ? 0 : worthOf(session) / best)
}
