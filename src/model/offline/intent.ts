import type { Clause, Filled } from './slot.ts'

/** Phrases and how much each says for an intent. */
export type Weights = Readonly<Record<string, number>>

export interface Scored {
  readonly words: Weights
  /** From this sum on it is understood. */
  readonly needs: number
  /** What a word of no meaning here takes away; the more harm a misreading does, the more. */
  readonly strange: number
}

/** Something to do through the `slash` tool. To add one, write one of these, and its sentences into the test. */
export interface Command extends Scored {
  readonly command: 'mark' | 'clear' | 'fork' | 'send' | 'check-mail' | 'kill'
  /** A request begins with one of these, politeness apart. */
  readonly opens: Weights | 'anything'
  /** Undefined: what it cannot be without is not there. */
  readonly slot?: (clause: Clause) => Filled | undefined
  /** Takes all that follows, so `and` does not begin another request. */
  readonly isOpen?: true
  /** Words for what a person may ask about, and what to answer then. */
  readonly topics: readonly string[]
  readonly about: string
  readonly example: string
}

/** Something to say. */
export interface Talk extends Scored {
  readonly answer: string
}

/** Phrases by their weight. */
export function weigh(levels: Readonly<Record<number, string>>): Weights {
  return Object.fromEntries(
    Object.entries(levels).flatMap(([weight, phrases]) =>
      phrases.split(/,\s*/).map((phrase) => [phrase, Number(weight)]),
    ),
  )
}
