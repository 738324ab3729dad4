import type { Decision, Refusal } from '../../src/context/decision.ts'
import { isRefusal } from '../../src/context/decision.ts'
import { planCompaction, type CompactionPlan } from '../../src/context/compaction.ts'
import type { Author, Kind, Message } from '../../src/event/event.ts'
import { makeBranchId, makeTurnId, type BranchId, type Position, type TurnId } from '../../src/event/id.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { Writing } from '../../src/event/table.ts'
import { NaiveWorld } from './naive.ts'
import { planCompaction as planNaively, type NaivePlan } from './naive-compaction.ts'
import { NEWEST, type Effect } from './operations.ts'

/** More branches make a run slow and show nothing new. */
const BRANCHES_MAX = 12

export const PERSON: Author = { by: 'person' }

/** A compaction that was planned on both sides and waits for its text. */
export interface Waiting {
  readonly real: CompactionPlan
  readonly naive: NaivePlan
  /** The tokens of each part's summary. */
  readonly tokens: readonly number[]
}

/** A step of the fake model: its assistant message, and what its calls will do when it ends. */
export interface RunningStep {
  readonly at: Position
  readonly effects: readonly Effect[]
}

/** The real branches and the naive ones, side by side. */
export class Trial {
  readonly naive = new NaiveWorld()
  ids: readonly BranchId[] = []
  plans: readonly Waiting[] = []
  steps: ReadonlyMap<number, RunningStep> = new Map()
  /** How often the window had something to decide, by outcome: a law that was never exercised is not proved. */
  readonly tried = new Map<string, number>()
  /** Time of the next events. */
  now = 1_700_000_000_000
  readonly #random = seededRandom(1)
  readonly #branchesMax: number
  #named = 0

  constructor(branchesMax = BRANCHES_MAX) {
    this.#branchesMax = branchesMax
  }

  id(number: number): BranchId {
    const id = this.ids[number]
    if (id === undefined) throw new Error(`there is no branch ${number}`)
    return id
  }

  /** Names stay unique even after a commit that never happened. */
  name(letter: string): string {
    return `${letter}${++this.#named}`
  }

  note(what: string): void {
    this.tried.set(what, (this.tried.get(what) ?? 0) + 1)
  }

  /** Most messages are short, a few are long. */
  weight(): number {
    return this.#named % 7 === 0 ? 9 : 1 + (this.#named % 3)
  }

  branchId(): BranchId {
    return makeBranchId(this.now, this.#random)
  }

  turnId(): TurnId {
    return makeTurnId(this.now, this.#random)
  }

  isFull(): boolean {
    return this.ids.length >= this.#branchesMax
  }

  any(number: number): number {
    return number === NEWEST ? this.ids.length - 1 : number % this.ids.length
  }

  live(number: number): number {
    const living = this.naive.branches.filter((branch) => !branch.ended)
    return (number === NEWEST ? living.at(-1) : living[number % living.length])?.number ?? 0
  }

  acted(number: number): { branch: BranchId; at: number; author: Author } {
    return { branch: this.id(number), at: this.now, author: PERSON }
  }

  plan(writing: Writing, number: number, keep: number): Waiting | undefined {
    const real = planCompaction(writing, { branch: this.id(number), keep })
    const naive = planNaively(this.naive, number, { keep })
    agree(isRefusal(real) ? real : 'done', naive !== undefined, 'plan')
    if (isRefusal(real) || naive === undefined) return undefined
    if (real.parts.length !== naive.parts.length)
      throw new Disagreement(`${real.parts.length} parts, not ${naive.parts.length}`)
    return { real, naive, tokens: naive.parts.map(() => 1) }
  }

  /** Saves everything that must be taken back if a commit never happens. */
  snapshot(): () => void {
    const { ids, plans, steps } = this
    const { branches } = this.naive
    return () => {
      Object.assign(this, { ids, plans, steps })
      this.naive.branches = branches
    }
  }
}

/** Appends the decided event. */
export function carryOut<K extends Kind>(writing: Writing, decision: Decision<K>): Refusal | Position {
  return isRefusal(decision) ? decision : writing.append(decision.draft)
}

export class Disagreement extends Error {
  override readonly name = 'Disagreement'
}

/** Both sides did it, or both refused. */
export function agree(real: Refusal | Position | 'done', naive: boolean, what: string): void {
  const refused = typeof real === 'object'
  if (refused !== naive) return
  const said = refused ? `refused it (${real.refused})` : 'did it'
  throw new Disagreement(`${what}: the code ${said}, the naive model ${naive ? 'did it' : 'refused it'}`)
}

/** Identifies a message on both sides: its text, or for a result the call it answers. */
export function identity(message: Message): string {
  return message.role === 'tool' ? resultOf(message.call) : message.text
}

export function resultOf(call: string): string {
  return `${call}=`
}
