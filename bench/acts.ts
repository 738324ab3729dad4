import { seededRandom, type Random } from '../src/base/random.ts'
import { clear, rewind, setMark, undo } from '../src/context/change.ts'
import { compact, planCompaction } from '../src/context/compaction.ts'
import { isRefusal, type Decision } from '../src/context/decision.ts'
import { createBranch, fork, type Inheritance } from '../src/context/fork.ts'
import { save } from '../src/context/save.ts'
import { addMessage } from '../src/context/step.ts'
import type { Author, DraftOf, Kind } from '../src/event/event.ts'
import { makeBranchId, type BranchId, type Position } from '../src/event/id.ts'
import type { Writing } from '../src/event/table.ts'

/** A window of this many messages stays after a compaction, and at least as many are shown after a rewind. */
export const KEEP = 20

const PERSON: Author = { by: 'person' }
const POLICY: Author = { by: 'policy', name: 'window' }
const START = Date.UTC(2026, 0, 1)
const TEXT_BYTES = 200
const WORDS = 'the agent keeps what was said in order and shows again what still counts for you today'.split(
  ' ',
)

/** What people and the program do, as the commands will do it: decide on what is there, then append. */
export class Acts {
  readonly #random: Random
  #now = START

  constructor(seed: number) {
    this.#random = seededRandom(seed)
  }

  root(writing: Writing): BranchId {
    const child = this.#newId()
    append(writing, createBranch({ child, mode: 'main', title: null, ...this.#act(child) }))
    return child
  }

  say(writing: Writing, branch: BranchId): Position {
    return append(writing, addMessage(writing, { branch, at: this.#tick(), ...this.#message() }))
  }

  mark(writing: Writing, branch: BranchId, name: string): Position {
    return append(writing, setMark(writing, { ...this.#act(branch), name }))
  }

  clear(writing: Writing, branch: BranchId): Position {
    return append(writing, clear(writing, this.#act(branch)))
  }

  rewind(writing: Writing, branch: BranchId, name?: string): Position {
    const to = name === undefined ? {} : { name }
    return append(writing, rewind(writing, { ...this.#act(branch), ...to, messagesMin: KEEP }))
  }

  undo(writing: Writing, branch: BranchId): Position {
    return append(writing, undo(writing, this.#act(branch)))
  }

  fork(writing: Writing, parent: BranchId, inherit: Inheritance = { take: 'everything' }): BranchId {
    const child = this.#newId()
    const made = { parent, child, mode: 'fork', title: null, inherit, hasGoal: false } as const
    append(writing, fork(writing, { ...made, at: this.#tick(), author: PERSON }))
    return child
  }

  /** With the end of the fork, which belongs to a save. */
  save(writing: Writing, source: BranchId): void {
    append(writing, save(writing, this.#act(source)))
    writing.append({ kind: 'branch-ended', ...this.#act(source), v: 1, reason: 'saved' })
  }

  compact(writing: Writing, branch: BranchId): Position {
    const plan = planCompaction(writing, { branch, keep: KEEP })
    if (isRefusal(plan)) throw new Error(`nothing to compact: ${plan.refused}`)
    const texts = plan.parts.map(() => ({ text: this.#text(), tokens: 50 }))
    const act = { ...this.#act(branch), author: POLICY, covered: plan.covered, texts, writer: 'extract' }
    return append(writing, compact(writing, act))
  }

  /** A message as it is handed to the log, decided already. */
  draft(branch: BranchId): DraftOf<'message-added'> {
    return { kind: 'message-added', branch, at: this.#tick(), v: 1, turn: null, ...this.#message() }
  }

  #message(): Pick<DraftOf<'message-added'>, 'message' | 'tokens'> {
    const text = this.#text()
    const message = this.#random() % 2 === 0 ? { role: 'user', text } : { role: 'assistant', text, calls: [] }
    return { message: message as DraftOf<'message-added'>['message'], tokens: 50 }
  }

  #text(): string {
    let text = ''
    while (text.length < TEXT_BYTES) text += `${WORDS[this.#random() % WORDS.length]} `
    return text.slice(0, TEXT_BYTES)
  }

  #act(branch: BranchId): { branch: BranchId; at: number; author: Author } {
    return { branch, at: this.#tick(), author: PERSON }
  }

  #newId(): BranchId {
    return makeBranchId(this.#tick(), this.#random)
  }

  #tick(): number {
    this.#now += 1_000
    return this.#now
  }
}

function append(writing: Writing, decision: Decision<Kind>): Position {
  if (isRefusal(decision)) throw new Error(`the benchmark was refused: ${decision.refused}`)
  return writing.append(decision.draft)
}
