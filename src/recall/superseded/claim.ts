import type { Bag } from './bag.ts'
import type { Measure } from './measures.ts'
import type { Occasions } from './occasions.ts'
import type { Told } from './told.ts'

/** One plain fact that a text states, in a form in which two can be compared. */
export interface Claim {
  /** What it is about; for a claim without a value, all that it says. */
  readonly about: Bag
  /** What is told of it. */
  readonly told: Told | undefined
  readonly isHeld: boolean
  /** Its text says of whom it speaks; a line of memory.md need not. */
  readonly isPersonal: boolean
  /** Whom or what it says to be so, where that is not the person. */
  readonly subject?: string
  /** When it holds, where that is no part of what is told. */
  readonly occasions?: Occasions
  /** The numbers and days in a claim without a value: "not on Fridays" denies nothing of Mondays. */
  readonly measures?: readonly Measure[]
  /** It speaks of a certain thing: "my eggs". */
  readonly isCertain: boolean
}

/** A claim, before its clause says who makes it. */
export type Found = Omit<Claim, 'isPersonal' | 'isCertain'>
