import type { Document } from '../../src/recall/contract/document.ts'
import { termsOf } from '../../src/recall/words/words.ts'

/** What a term of a question is worth. */
export interface NaiveTerm {
  readonly term: string
  readonly gain: number
}

export interface NaiveScore {
  readonly own: number
  /** Share of the best session's. */
  readonly session: number
}

const LONG = 60
const HOUR_MS = 3_600_000
const BEFORE = [0.6, 0.3, 0.2]
const AFTER = [0.4, 0.3, 0.2]

/** The search by words as it is described, document by document, with nothing remembered and nothing left out. */
export class NaiveSearch {
  readonly #documents: readonly Document[]
  readonly #terms: readonly (readonly string[])[]
  readonly #averageWords: number

  constructor(documents: readonly Document[]) {
    this.#documents = documents
    this.#terms = documents.map(({ text }) => termsOf(text))
    const said = this.#terms.filter((_, at) => documents[at]?.kind === 'user')
    this.#averageWords = said.length === 0 ? 25 : said.flat().length / said.length
  }

  /** The rarer, the more. */
  term(term: string): NaiveTerm {
    const having = this.#terms.filter((terms) => terms.includes(term)).length
    return { term, gain: Math.max(0.05, Math.log((this.#terms.length - having + 0.5) / (having + 0.5))) }
  }

  /** What has one of the terms, or has something beside it that has one and is inside. */
  near(terms: readonly NaiveTerm[], isInside: (document: number) => boolean): number[] {
    const has = (at: number) => terms.some(({ term }) => this.#has(at, term))
    return [...this.#documents.keys()].filter((at) => {
      if (!isInside(at)) return false
      return has(at) || this.#around(at).some(({ other }) => isInside(other) && has(other))
    })
  }

  score(
    at: number,
    terms: readonly NaiveTerm[],
    counts: (document: number) => boolean = () => true,
  ): NaiveScore {
    let own = 0
    for (const { term, gain } of terms) {
      const values = this.#around(at)
        .filter(({ other }) => counts(other) && this.#has(other, term))
        .map(({ other, share }) => share * this.#worth(other, 1))
      const often = counts(at) ? this.#count(at, term) : 0
      if (often > 0) values.push(this.#worth(at, 1))
      const again = often > 0 ? this.#worth(at, often) - this.#worth(at, 1) : 0
      own += gain * (Math.max(0, ...values) + again)
    }
    return { own, session: this.#sessionShare(at, terms) }
  }

  #has(at: number, term: string): boolean {
    return (this.#terms[at] as string[]).includes(term)
  }

  #count(at: number, term: string): number {
    return (this.#terms[at] as string[]).filter((one) => one === term).length
  }

  /** BM25 of a term that stands so often in a document. */
  #worth(at: number, often: number): number {
    const length = (this.#terms[at] as string[]).length / this.#averageWords
    return (often * 2.2) / (often + 1.2 * (0.25 + 0.75 * length))
  }

  #isLong(at: number): boolean {
    return (this.#terms[at] as string[]).length > LONG
  }

  /** Short ones before and behind, up to a long one, with what of their worth they give. */
  #around(at: number): { other: number; share: number }[] {
    const found: { other: number; share: number }[] = []
    for (const shares of [BEFORE, AFTER]) {
      const talk = this.#session(at)
      if (shares === BEFORE) talk.reverse()
      let place = talk.indexOf(at)
      if (place < 0) return []
      for (const [distance, share] of shares.entries()) {
        const other = talk[++place]
        if (other === undefined || this.#isLong(other)) break
        const isAnswer = shares === BEFORE && distance === 0 && this.#documents[other]?.text.includes('?')
        found.push({ other, share: isAnswer ? share * 1.3 : share })
      }
    }
    return found
  }

  /** The messages of a branch without an hour's pause between them; summaries and updates are alone. */
  #session(at: number): number[] {
    const { branch, kind } = this.#documents[at] as Document
    if (isAlone(kind)) return [at]
    let session: number[] = []
    for (const [number, document] of this.#documents.entries()) {
      if (document.branch !== branch || isAlone(document.kind)) continue
      const before = this.#documents[session.at(-1) ?? -1]
      if (before !== undefined && document.at - before.at > HOUR_MS) {
        if (session.includes(at)) return session
        session = []
      }
      session.push(number)
    }
    return session
  }

  #sessionShare(at: number, terms: readonly NaiveTerm[]): number {
    const worthOf = (one: number): number => {
      const all = new Set(this.#session(one).flatMap((number) => this.#terms[number] ?? []))
      return terms.reduce((sum, { term, gain }) => (all.has(term) ? sum + gain : sum), 0)
    }
    const best = Math.max(...[...this.#documents.keys()].map(worthOf))
    return best === 0 ? 0 : worthOf(at) / best
  }
}

function isAlone(kind: Document['kind']): boolean {
  return kind === 'summary' || kind === 'update'
}
