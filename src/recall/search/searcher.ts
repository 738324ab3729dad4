import type { Position } from '../../event/id.ts'
import type { Log } from '../../log/log.ts'
import { KIND_MASK } from '../index/columns.ts'
import { documentKinds, documentsOf } from '../document.ts'
import { feedbackFrom } from './feedback.ts'
import { filterFor, type MayBe } from './filter.ts'
import { largest } from './largest.ts'
import { meaningOf, normalised, type Meaning } from './meaning-search.ts'
import { priorFor } from './prior.ts'
import { readQuestion, type Question } from './question.ts'
import type { Found, Hit, RecallWeights, Search } from '../recall.ts'
import type { TextIndex } from '../index/text-index.ts'
import { AGE_FLOOR, FEEDBACK_HITS, MEANING_PRIOR } from './weights.ts'
import { WordSearch } from './word-search.ts'
import { termsOf } from '../words/words.ts'

export interface SearcherParts {
  readonly log: Log
  readonly index: TextIndex
  readonly meaning: Meaning | null
}

/** So many of the best by words are compared by meaning, and so many more are found by meaning alone. */
const POOL = 500
const BY_MEANING_ALONE = 50
const DAY_SECONDS = 86_400

/** A document that may be the answer, with what speaks for it. */
interface Rated {
  readonly document: number
  /** Share of the best one's. */
  readonly words: number
  readonly vector: number | null
  readonly alpha: number
  readonly fused: number
  readonly coverage: number
}

/** Searches what is indexed. */
export class Searcher {
  readonly #parts: SearcherParts
  readonly #words: WordSearch

  constructor(parts: SearcherParts) {
    this.#parts = parts
    this.#words = new WordSearch(parts.index)
  }

  async search(search: Search, weights: RecallWeights): Promise<Omit<Found, 'behind'>> {
    const { index, meaning } = this.#parts
    const knows = meaning?.embedder.knows
    const question = readQuestion(index, search.text, {
      ...(search.asker !== undefined && { asker: search.asker }),
      ...(knows && { knows }),
    })
    const mayBe = filterFor(index, search)
    const prior = priorFor(index, question)
    const words = await this.#byWords(question, prior, mayBe)
    const isByWords = meaning === null || search.by === 'words'
    const rated = isByWords
      ? words
      : await this.#withMeaning(meaning, { question, words, prior, mayBe, search, weights })
    const { repaired } = question
    return { hits: await this.#hits(rated, { search, weights, question }), repaired }
  }

  /** Best first, at most a pool of them. */
  async #byWords(
    question: Question,
    prior: (document: number) => number,
    mayBe: MayBe,
  ): Promise<readonly Rated[]> {
    const { documents, own, finish, coverage } = this.#words.find(question, prior, mayBe)
    const first = finish(own)
    const texts = await this.#texts(largest(first, FEEDBACK_HITS).map((at) => documents[at] as number))
    const hits = largest(first, FEEDBACK_HITS).map((at, place) => {
      return { text: texts[place] ?? '', score: first[at] as number }
    })
    const more = this.#words.more(feedbackFrom(this.#parts.index, question, hits), documents)
    const scores = finish(own.map((score, at) => score + (more[at] as number)))
    const best = largest(scores, POOL)
    const most = scores[best[0] ?? 0] ?? 1
    return best.map((at) => {
      const share = (scores[at] as number) / most
      const document = documents[at] as number
      return { document, words: share, vector: null, alpha: 1, fused: share, coverage: coverage(document) }
    })
  }

  async #withMeaning({ embedder, vectors }: Meaning, fusing: Fusing): Promise<readonly Rated[]> {
    const { question, words, prior, mayBe, search, weights } = fusing
    const [query] = await embedder.embed([question.meaning])
    if (query === undefined || query.every((value) => value === 0))
      return search.by === 'vectors' ? [] : words
    const { columns } = this.#parts.index
    const byWords = search.by === 'vectors' ? [] : words
    const alone = vectors.nearest(query, search.by === 'vectors' ? POOL : BY_MEANING_ALONE, mayBe)
    const known = new Map(byWords.map((rated) => [rated.document, rated]))
    const pool = Uint32Array.from(new Set([...known.keys(), ...alone]))
    const near = normalised(meaningOf(columns, { vectors, query }, pool)).map(
      (value, at) => value * prior(pool[at] as number) ** MEANING_PRIOR,
    )
    const nearest = near.reduce((most, value) => Math.max(most, value), 0) || 1
    const trust = Math.min(1, 2 * (embedder.trust?.(question.meaning) ?? 1))
    const alpha = search.by === 'vectors' ? 0 : 1 - (1 - (weights.alpha ?? embedder.alpha)) * trust
    return Array.from(pool, (document, at): Rated => {
      const vector = (near[at] as number) / nearest
      const { words: share = 0, coverage = 0 } = known.get(document) ?? {}
      return { document, words: share, vector, alpha, coverage, fused: alpha * share + (1 - alpha) * vector }
    })
  }

  async #hits(
    rated: readonly Rated[],
    { search, weights, question }: { search: Search; weights: RecallWeights; question: Question },
  ): Promise<Hit[]> {
    const { columns } = this.#parts.index
    const recencyOf = (document: number): number => {
      if (search.recency === false) return 1
      const days = Math.max(0, search.now / 1_000 - (columns.at[document] as number)) / DAY_SECONDS
      return AGE_FLOOR + (1 - AGE_FLOOR) / (1 + days * weights.decay)
    }
    // Squared, what is clearly better stays better whatever its age.
    const scores = rated.map(({ fused, document }) => fused ** 2 * recencyOf(document))
    const best = largest(scores, search.limit).map((at) => rated[at] as Rated)
    const texts = await this.#texts(best.map(({ document }) => document))
    return best.map((one, at) =>
      this.#hit(one, { recency: recencyOf(one.document), question, text: texts[at] ?? '' }),
    )
  }

  #hit(
    { document, words, vector, alpha, fused, coverage }: Rated,
    { recency, question, text }: { recency: number; question: Question; text: string },
  ): Hit {
    const { columns, branches, speakers } = this.#parts.index
    const terms = new Set(termsOf(text))
    const matched = question.sought.filter(({ term }) => terms.has(term)).map(({ typed }) => typed)
    return {
      position: columns.position[document] as Position,
      part: columns.part[document] as number,
      branch: branches[columns.branch[document] as number] as Hit['branch'],
      at: (columns.at[document] as number) * 1_000,
      kind: documentKinds[(columns.flags[document] as number) & KIND_MASK] as Hit['kind'],
      speaker: speakers[columns.speaker[document] as number] ?? '',
      score: Math.min(1, fused * recency),
      why: { words, vector, alpha, recency, matched, coverage },
    }
  }

  #texts(documents: readonly number[]): Promise<string[]> {
    const { log, index } = this.#parts
    const { position, part } = index.columns
    return log.read((reader) =>
      documents.map((document) => {
        const event = reader.event(position[document] as Position)
        return documentsOf(reader, event)[part[document] as number]?.text ?? ''
      }),
    )
  }
}

interface Fusing {
  readonly question: Question
  readonly words: readonly Rated[]
  readonly prior: (document: number) => number
  readonly mayBe: MayBe
  readonly search: Search
  readonly weights: RecallWeights
}
