import { bisect } from '../../base/bisect.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Document } from './document.ts'

/** A search in everything that was ever said. */
export interface Search {
  readonly text: string
  readonly within: Within
  readonly limit: number
  /** The current time, for the age of hits. */
  readonly now: number
  /** Who asks: "what did I say" means this speaker. */
  readonly asker?: string | undefined
  /** Position of the question in the log, if it is there: words that only it has were never said before. */
  readonly askedAt?: Position | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Only messages of these speakers. */
  readonly speakers?: readonly string[] | undefined
  readonly by?: 'words' | 'vectors' | 'both'
  /** Whether older documents count a little less. */
  readonly recency?: boolean
  /** Whether to include echoes, which only repeat the log. */
  readonly withEchoes?: boolean
  /** Waits until an old log is indexed; otherwise `behind` says what is missing. */
  readonly isPatient?: boolean
}

/**
 * What may be found in a branch: everything, or messages at these positions with the updates they show. Summaries, and
 * updates where they were reported, are only found with everything.
 */
export type Within = (branch: BranchId) => 'all' | readonly Stretch[]
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** The stretches ascend and do not overlap. */
export function isIn(stretches: readonly Stretch[], position: number): boolean {
  const found = stretches[bisect(stretches.length, (at) => (stretches[at] as Stretch).to >= position)]
  return found !== undefined && found.from <= position
}

export interface Hit extends Omit<Document, 'text'> {
  /** 0 to 1; the best hit of a search is near 1. */
  readonly score: number
  readonly why: Why
}

/** The parts of a hit's score. */
export interface Why {
  /** Relative to the best hit, 0 to 1. */
  readonly words: number
  /** The weight of the words; the rest is the vector's. */
  readonly alpha: number
  /** Similarity in meaning, relative to the nearest hit and weighted. Null if no vectors were used. */
  readonly vector: number | null
  /** The similarity itself: a cosine, with shares of its neighbours'. */
  readonly meaning: number | null
  /** The factor for its age. */
  readonly recency: number
  /** The factor for better hits of the same session, where the question asks for many. */
  readonly spread: number
  /** The words of the question that occur in it. */
  readonly matched: readonly string[]
  /** Share of the question's words, weighted by rarity, that occur in it or in the question it answers. */
  readonly coverage: number
}

export interface RecallWeights {
  /** The weight of words; null: the embedder's default. */
  readonly alpha: number | null
  /** How fast older documents lose weight. */
  readonly decay: number
}

export interface Found {
  readonly hits: readonly Hit[]
  /** Words nobody ever used, with the words searched for instead. */
  readonly repaired: readonly { readonly typed: string; readonly taken: string }[]
  /** Not searched yet: events that are not indexed, documents without vectors. */
  readonly behind: { readonly events: number; readonly vectors: number }
}

/** The branches in which each person ever spoke. */
export type People = ReadonlyMap<string, ReadonlySet<BranchId>>

export interface Recall {
  search(search: Search): Promise<Found>
  people(): Promise<People>
  /** Indexes everything up to the log's end, vectors included. Searches do what they need by themselves. */
  catchUp(progress?: (done: number, all: number) => void): Promise<void>
  close(): Promise<void>
}
