import type { Word } from './words.ts'

/** A request without its opening words: what slots are filled from. */
export interface Clause {
  readonly said: string
  readonly opener: string
  readonly words: readonly Word[]
  readonly known: Known
}

/** What earlier results in the prompt told of; the newest last. */
export interface Known {
  readonly marks: readonly string[]
  readonly children: readonly string[]
}

/** `used` words belong to a slot and say nothing for or against the intent; `weight` is what finding the slot says. */
export interface Filled {
  readonly args?: string
  /** A question to the person: the request is clear, but this is missing. */
  readonly missing?: string
  readonly used: readonly Word[]
  readonly weight: number
}
