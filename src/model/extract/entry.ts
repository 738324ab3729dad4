import type { Value } from './signals.ts'

/** One spoken message to summarize. */
export interface Spoken {
  readonly who: Who
  readonly text: string
  readonly at?: number
}

export type Who = 'user' | 'assistant' | 'tool' | 'note'

/** In the order of a summary. */
export const sections = ['facts', 'decisions', 'promises', 'questions'] as const
export type Section = (typeof sections)[number]

/** One line of a summary. */
export interface Entry {
  readonly section: Section
  readonly who: Who | undefined
  /** Days since 1970, in UTC. */
  readonly day: number | undefined
  readonly text: string
  /** Grows with time: below 0 for lines of the former summary, from 0 on for new messages. */
  readonly order: number
  /** How much would be lost without it. */
  readonly worth: number
  readonly about: About
  /** The words of the focus in it; empty without a focus. */
  readonly near: ReadonlySet<string>
}

/** The subject of a text, to find others with the same. */
export interface About {
  readonly folded: string
  readonly stems: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly values: readonly Value[]
  /** Numbers that name a thing: `invoice 4758`, `room 12`. */
  readonly labels: ReadonlySet<string>
}
