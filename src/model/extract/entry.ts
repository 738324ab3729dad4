import type { Value } from './signals.ts'

/** One message of what is summed up, as it was said. */
export interface Spoken {
  readonly who: Who
  readonly text: string
  readonly at?: number
}

export type Who = 'user' | 'assistant' | 'tool' | 'note'

/** In the order in which a summary shows them. */
export const sections = ['facts', 'decisions', 'promises', 'questions', 'topics'] as const
export type Section = (typeof sections)[number]

/** One line of a summary. */
export interface Entry {
  readonly section: Section
  readonly who: Who | undefined
  /** Days since 1970, in UTC. */
  readonly day: number | undefined
  readonly text: string
  /** Grows with time: below 0 for what a former summary told, from 0 on for what was said since. */
  readonly order: number
  /** How much would be lost without it. */
  readonly worth: number
  readonly about: About
  /** What of the focus it tells; empty without one. */
  readonly near: ReadonlySet<string>
}

/** What a text speaks of, to find others that speak of the same. */
export interface About {
  readonly folded: string
  readonly stems: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly values: readonly Value[]
  /** Numbers that say which one is meant. */
  readonly labels: readonly Label[]
}

/** "Invoice 4758", "order #55": a number that is the name of a thing, and not what is told of it. */
export interface Label {
  /** Stem of the noun that it follows; empty where it stands alone. */
  readonly noun: string
  readonly number: string
  /** Whether something is told of it: "room 12 costs 80", but not "we took room 12". */
  readonly isSubject: boolean
}
