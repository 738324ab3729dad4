import { Around, besideIn, Guess, isShort, termSums } from './around.ts'
import { NONE, type Columns } from '../contract/text-index.ts'
import type { Filter } from './filter.ts'
import type { Indexed } from './indexed.ts'
import { thresholdFor } from './largest.ts'
import { averageWordsIn, gainOf, Matches, Numbers, TERMS_MAX, type Worth } from './matches.ts'
import type { Question } from './question.ts'
import { AFTER, BEFORE, IN_SESSION } from './weights.ts'

/** Documents found by words, unordered. */
interface Candidates {
  readonly documents: Uint32Array
  /** Score of each document's words, with its neighbours'. */
  readonly own: Float32Array
  /** Factor for who said it and in which session. */
  readonly factors: Float32Array
  /** Share of the question's words in the document or in the message it answers. */
  readonly coverage: Float32Array
}

export interface Wanted {
  readonly index: Indexed
  readonly question: Question
  readonly prior: (document: number) => number
  readonly filter: Filter
}

/** Terms in more than this share of documents are skipped if rarer ones find enough. */
const COMMON = 0.1
const ENOUGH = 2_000
/** The rarest terms select the candidates. Beyond this many postings, further terms only add to those. */
const WIDELY = 50_000
/** Number of candidates, plus at most as many that tie with the last one. */
const LOOKED_AT = 1_500
/** Number of candidates scored exactly: the best by estimate, plus ties with the last one. */
const CLOSELY = 1_500
/** The prior is computed for this many, the best by their own words; for all of them if a filter leaves few. */
const ASKED_ABOUT = 16_000
/** Messages farther away than this are not found through a neighbour. */
const STEPS = Math.max(BEFORE.length, AFTER.length)

/** Finds documents by the words of a question, one question at a time: its arrays are as long as the log. */
export class WordSearch {
  readonly #matches = new Matches()
  readonly #near = new Numbers()
  #isNear = new Uint8Array(0)
  #values = new Float32Array(0)

  find({ index, question, prior, filter }: Wanted): Candidates {
    const { columns } = index
    const worths = worthsOf(index, question)
    this.#matches.clear(columns.count)
    const widely = widelySought(worths)
    this.#matches.add(worths.slice(0, widely), columns)
    this.#gather(columns, filter, prior)
    const rest = worths.slice(widely).map((worth) => this.#onlyNear(worth))
    this.#matches.add(rest, columns, widely)
    const gains = worths.map(({ gain }) => gain)
    const around = new Around(columns, averageWordsIn(columns), gains)
    const { documents, factors } = this.#closer(columns, { prior, filter, gains })
    return {
      documents,
      own: scoresOf(documents, around, this.#matches),
      factors,
      coverage: Float32Array.from(documents, (document) => around.coverage(document, this.#matches.terms)),
    }
  }

  /** Candidates for the best hits. An exact score, which feedback needs twice, costs far more than an estimate. */
  #closer(
    columns: Columns,
    { prior, filter, gains }: Pick<Wanted, 'prior' | 'filter'> & { gains: readonly number[] },
  ): Pick<Candidates, 'documents' | 'factors'> {
    const near = this.#near.all
    const sumOf = termSums(gains)
    const share = sessionShares(this.#matches, sumOf)
    const guess = new Guess(columns, this.#matches, sumOf)
    const factors = new Float32Array(near.length)
    const guesses = new Float32Array(near.length)
    for (let at = 0; at < near.length; at++) {
      const document = near[at] as number
      if (!filter.mayBe(document)) continue
      const factor = prior(document) * (1 + IN_SESSION * share(columns.session[document] as number))
      factors[at] = factor
      guesses[at] = factor * guess.of(document)
    }
    const from = thresholdFor(guesses, CLOSELY)
    const isMeant = (_: number, at: number) => (factors[at] as number) > 0 && (guesses[at] as number) >= from
    return { documents: near.filter(isMeant), factors: factors.filter(isMeant) }
  }

  /** Adds the worth of more terms to the candidates of the last question. */
  more(columns: Columns, worths: readonly Worth[], documents: Uint32Array): Float32Array {
    this.#matches.clear(columns.count)
    const some = worths.slice(0, TERMS_MAX)
    this.#matches.add(
      some.map((worth) => this.#onlyNear(worth)),
      columns,
    )
    const gains = some.map(({ gain }) => gain)
    const around = new Around(columns, averageWordsIn(columns), gains)
    return scoresOf(documents, around, this.#matches)
  }

  #onlyNear({ postings, gain }: Worth): Worth {
    const isNear = this.#isNear
    const documents = new Numbers()
    const counts = new Numbers()
    for (let at = 0; at < postings.documents.length; at++) {
      const document = postings.documents[at] as number
      if (isNear[document] !== 1) continue
      documents.push(document)
      counts.push(postings.counts[at] as number)
    }
    return { gain, postings: { documents: documents.all, counts: Uint8Array.from(counts.all) } }
  }

  /** The best by their own words, and what stands around them. */
  #gather(columns: Columns, { isInside }: Filter, prior: Wanted['prior']): void {
    this.#forget(columns.count)
    const { documents, values } = this.#bestInside(isInside, prior)
    const from = thresholdFor(values, LOOKED_AT)
    let equal = 0
    // Newest first: among many equal ones, the newest are wanted most.
    for (let at = documents.length - 1; at >= 0; at--) {
      const value = values[at] as number
      if (value > from || (value === from && equal++ < LOOKED_AT))
        this.#takeWithNeighbours(columns, documents[at] as number, isInside)
    }
  }

  /** Documents that pass the filter, with their prior; without those that score far lower. */
  #bestInside(
    isInside: Filter['isInside'],
    prior: Wanted['prior'],
  ): { documents: Uint32Array; values: Float32Array } {
    const { scores } = this.#matches
    const all = this.#matches.documents.all
    if (all.length > this.#values.length) this.#values = new Float32Array(Math.ceil(all.length * 1.25))
    const values = this.#values.subarray(0, all.length)
    for (let at = 0; at < all.length; at++) values[at] = scores[all[at] as number] as number
    for (const from of [thresholdFor(values, ASKED_ABOUT), 0]) {
      const inside = new Numbers()
      for (let at = 0; at < all.length; at++)
        if ((values[at] as number) >= from && isInside(all[at] as number)) inside.push(all[at] as number)
      if (from > 0 && inside.all.length < LOOKED_AT) continue
      const documents = inside.all
      const kept = values.subarray(0, documents.length)
      for (let at = 0; at < documents.length; at++)
        kept[at] = (scores[documents[at] as number] as number) * prior(documents[at] as number)
      return { documents, values: kept }
    }
    return { documents: new Uint32Array(), values: new Float32Array() }
  }

  #takeWithNeighbours(columns: Columns, document: number, isInside: Filter['isInside']): void {
    this.#take(document)
    if (!isShort(columns, document)) return
    for (const way of [columns.previous, columns.next]) {
      let other = document
      for (let step = 0; step < STEPS && other !== NONE; step++) {
        // A long one beside a short one is found through it, but nothing behind the long one.
        const beside = way[other] as number
        if (beside !== NONE && isInside(beside)) this.#take(beside)
        other = besideIn(columns, way, other)
      }
    }
  }

  #take(document: number): void {
    if (this.#isNear[document] === 1) return
    this.#isNear[document] = 1
    this.#near.push(document)
  }

  #forget(count: number): void {
    if (count > this.#isNear.length) this.#isNear = new Uint8Array(Math.ceil(count * 1.25))
    else for (const document of this.#near.all) this.#isNear[document] = 0
    this.#near.clear()
  }
}

/** The terms with their worth; very common ones only if rarer ones find little. */
function worthsOf(index: Indexed, { sought }: Question): Worth[] {
  const all = index.columns.count
  const worths: Worth[] = []
  let found = 0
  for (const { term, count, share } of sought.slice(0, TERMS_MAX)) {
    if (found >= ENOUGH && count > all * COMMON) continue
    found += count
    worths.push({ postings: index.postings(term), gain: share * gainOf(count, all) })
  }
  return worths
}

/** How many of the terms, rarest first, select candidates: at least two. */
function widelySought(worths: readonly Worth[]): number {
  let places = 0
  const last = worths.findIndex(({ postings }, at) => {
    places += postings.documents.length
    return places > WIDELY && at > 1
  })
  return last < 0 ? worths.length : last
}

function scoresOf(documents: Uint32Array, around: Around, matches: Matches): Float32Array {
  const scores = new Float32Array(documents.length)
  for (let at = 0; at < documents.length; at++) scores[at] = around.score(documents[at] as number, matches)
  return scores
}

/** Worth of all terms in a session, as a share of the best session's. */
function sessionShares(
  { sessions, sessionTerms }: Matches,
  sumOf: (terms: number) => number,
): (session: number) => number {
  let [best, last] = [0, 0]
  const all = sessions.all
  for (let at = 0; at < all.length; at++) {
    const terms = sessionTerms[all[at] as number] as number
    // Cached: most sessions have the same few sets of terms.
    if (terms !== last) best = Math.max(best, sumOf(terms))
    last = terms
  }
  return (session) => (best === 0 ? 0 : sumOf(sessionTerms[session] as number) / best)
}
