import type { Embedder } from '../contract/embedder.ts'
import type { Position } from '../../event/id.ts'
import type { Log } from '../../log/log.ts'
import { KIND_MASK, type TextIndex } from '../contract/text-index.ts'
import { documentKinds, documentsOf } from '../contract/document.ts'
import { feedbackFrom } from './feedback.ts'
import { filterFor } from './filter.ts'
import { held, type Indexed } from './indexed.ts'
import { largest } from './largest.ts'
import { meaningOf, sharesOf, type Meaning } from './meaning-search.ts'
import { priorFor } from './prior.ts'
import { readQuestion } from './question.ts'
import type { Found, Hit, RecallWeights, Search, Why } from '../contract/recall.ts'
import { AGAIN_IN_SESSION, AGE_FLOOR, FEEDBACK_HITS, FEEDBACK_WORDS_MAX, SESSION_HITS } from './weights.ts'
import { WordSearch, type Wanted } from './word-search.ts'
import { termsOf } from '../words/words.ts'

interface SearcherParts {
  readonly log: Log
  readonly index: TextIndex
  readonly meaning: Meaning | null
}

/** The best hits by words are compared by meaning; further ones are found by meaning alone. */
const POOL = 500
const BY_MEANING_ALONE = 100
/** In a longer log, meaning alone is searched only if words find little: it scans everything. */
const SCANNED_MAX = 200_000
const LITTLE = 100
const DAY_SECONDS = 86_400

/** A candidate with its scores. */
interface Rated extends Omit<Why, 'recency' | 'spread' | 'matched'> {
  readonly document: number
  readonly fused: number
}

const BY_WORDS = { vector: null, meaning: null, alpha: 1 } as const

/** A search on its way. */
interface Searching extends Wanted {
  readonly search: Search
  readonly weights: RecallWeights
}

/** Searches what is indexed. */
export class Searcher {
  readonly #parts: SearcherParts
  readonly #words = new WordSearch()
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: SearcherParts) {
    this.#parts = parts
  }

  async search(search: Search, weights: RecallWeights): Promise<Omit<Found, 'behind'>> {
    const { meaning } = this.#parts
    // One at a time: word searches share arrays, and await texts in between.
    const { searching, words } = await this.#next(async () => {
      const begun = this.#begin(search, weights)
      return { searching: begun, words: await this.#byWords(begun) }
    })
    const isByWords = meaning === null || search.by === 'words'
    const rated = isByWords ? words : await this.#withMeaning(meaning, searching, words)
    return { hits: await this.#hits(rated, searching), repaired: searching.question.repaired }
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => undefined)
    return mine
  }

  #begin(search: Search, weights: RecallWeights): Searching {
    const index = held(this.#parts.index, search.askedAt)
    const { text, within, asker } = search
    const knows = this.#parts.meaning?.embedder.knows
    const question = readQuestion(index, text, { within, asker, knows })
    const filter = filterFor(index, search)
    return { index, question, prior: priorFor(index, question), filter, search, weights }
  }

  /** Best first, at most a pool of them. */
  async #byWords({ index, question, prior, filter, search }: Searching): Promise<readonly Rated[]> {
    const { columns } = index
    const { documents, own, factors, coverage } = this.#words.find({ index, question, prior, filter })
    const first = own.map((score, at) => score * (factors[at] as number))
    const top = largest(first, FEEDBACK_HITS).filter((at) => {
      return (columns.words[documents[at] as number] as number) <= FEEDBACK_WORDS_MAX
    })
    const texts = await this.#texts(
      index,
      top.map((at) => documents[at] as number),
    )
    const hits = top.map((at, place) => ({ text: texts[place] ?? '', score: first[at] as number }))
    const more = this.#words.more(columns, feedbackFrom(index, question, hits), documents)
    const scores = own.map((score, at) => (score + (more[at] as number)) * (factors[at] as number))
    const best = largest(scores, Math.max(POOL, search.limit))
    const most = scores[best[0] ?? 0] ?? 1
    return best.map((at) => {
      const share = (scores[at] as number) / most
      const document = documents[at] as number
      return {
        document,
        words: share,
        ...BY_WORDS,
        fused: share,
        coverage: coverage[at] as number,
      }
    })
  }

  async #withMeaning(
    { embedder, vectors }: Meaning,
    { index, question, prior, filter, search, weights }: Searching,
    byWords: readonly Rated[],
  ): Promise<readonly Rated[]> {
    const isAlone = search.by === 'vectors'
    const words = isAlone ? [] : byWords
    const [query] = await embedder.embed([question.meaning])
    if (query === undefined || query.every((value) => value === 0)) return words
    const isScanned = isAlone || words.length < LITTLE || index.columns.count <= SCANNED_MAX
    const alone = isScanned ? vectors.nearest(query, isAlone ? POOL : BY_MEANING_ALONE, filter.mayBe) : []
    const known = new Map(words.map((rated) => [rated.document, rated]))
    const pool = Uint32Array.from(new Set([...known.keys(), ...alone]))
    const meanings = meaningOf(index.columns, { vectors, query }, pool)
    const near = sharesOf(meanings.map((value, at) => value * prior(pool[at] as number)))
    const alpha = isAlone ? 0 : alphaFor(embedder, question.meaning, weights)
    return Array.from(pool, (document, at): Rated => {
      const vector = near[at] as number
      const { words: share = 0, coverage = 0 } = known.get(document) ?? {}
      // A document without a vector is scored by its words alone.
      if (Number.isNaN(meanings[at])) return { document, words: share, ...BY_WORDS, coverage, fused: share }
      const fused = alpha * share + (1 - alpha) * vector
      return { document, words: share, vector, meaning: meanings[at] as number, alpha, coverage, fused }
    })
  }

  async #hits(rated: readonly Rated[], { index, question, search, weights }: Searching): Promise<Hit[]> {
    const recencies = rated.map(({ document }) => {
      if (search.recency === false) return 1
      const seconds = search.now / 1_000 - (index.columns.at[document] as number)
      return recencyOf(Math.max(0, seconds) / DAY_SECONDS, weights.decay)
    })
    const scores = Float32Array.from(rated, ({ fused }, at) => fused * (recencies[at] as number))
    const sessions = rated.map(({ document }) => index.columns.session[document] as number)
    const spreads = question.isBroad ? spreadOver(sessions, scores) : scores.map(() => 1)
    const best = largest(
      scores.map((score, at) => score * (spreads[at] as number)),
      search.limit,
    )
    const found = best.map((at) => rated[at] as Rated)
    const texts = await this.#texts(
      index,
      found.map(({ document }) => document),
    )
    return found.map((one, place) => {
      const at = best[place] as number
      const [recency, spread] = [recencies[at] as number, spreads[at] as number]
      return hitOf(one, { index, question }, { recency, spread, text: texts[place] ?? '' })
    })
  }

  #texts({ columns }: Indexed, documents: readonly number[]): Promise<string[]> {
    const { position, part } = columns
    return this.#parts.log.read((reader) =>
      documents.map((document) => {
        const event = reader.event(position[document] as Position)
        return documentsOf(reader, event)[part[document] as number]?.text ?? ''
      }),
    )
  }
}

/** The setting, if there is one; otherwise words count more if the embedder does not know the question's words. */
function alphaFor(embedder: Embedder, text: string, { alpha }: RecallWeights): number {
  if (alpha !== null) return alpha
  const trust = Math.min(1, 2 * (embedder.trust?.(text) ?? 1))
  return 1 - (1 - embedder.alpha) * trust
}

/** Older documents count less, but never by more than a fifth, so that old facts stay reachable. */
export function recencyOf(days: number, decay: number): number {
  return AGE_FLOOR + (1 - AGE_FLOOR) / (1 + days * decay)
}

/** After the best hits of a session, each further one counts less: so hits come from all of the talk. */
function spreadOver(sessions: readonly number[], scores: Float32Array): Float32Array {
  const seen = new Map<number, number>()
  const spreads = new Float32Array(scores.length)
  for (const at of largest(scores, scores.length)) {
    const better = seen.get(sessions[at] as number) ?? 0
    seen.set(sessions[at] as number, better + 1)
    spreads[at] = AGAIN_IN_SESSION ** Math.max(0, better + 1 - SESSION_HITS)
  }
  return spreads
}

function hitOf(
  { document, fused, ...parts }: Rated,
  { index, question }: Pick<Searching, 'index' | 'question'>,
  { text, ...factors }: Pick<Why, 'recency' | 'spread'> & { readonly text: string },
): Hit {
  const { columns, branches, speakers } = index
  const terms = new Set(termsOf(text))
  const matched = question.sought.filter(({ term }) => terms.has(term)).map(({ typed }) => typed)
  return {
    position: columns.position[document] as Position,
    part: columns.part[document] as number,
    branch: branches[columns.branch[document] as number] as Hit['branch'],
    at: (columns.at[document] as number) * 1_000,
    kind: documentKinds[(columns.flags[document] as number) & KIND_MASK] as Hit['kind'],
    speaker: speakers[columns.speaker[document] as number] ?? '',
    score: Math.min(1, fused * factors.recency * factors.spread),
    why: { ...parts, ...factors, matched },
  }
}
