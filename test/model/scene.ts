import { findBranch, getBranch } from '../../src/context/branch.ts'
import { clear, clearByModel, redo, rewind, setMark, undo } from '../../src/context/change.ts'
import { compact, expand, planCompaction, type CompactionPlan } from '../../src/context/compaction.ts'
import { isRefusal, type Act, type Decision } from '../../src/context/decision.ts'
import { createBranch, fork, type Inheritance } from '../../src/context/fork.ts'
import { coversOf, summaryAt } from '../../src/context/list.ts'
import { messagesIn } from '../../src/context/message-index.ts'
import { save } from '../../src/context/save.ts'
import { recover } from './recover.ts'
import { addMessage, endTurn, messageOf, startTurn } from '../../src/context/step.ts'
import { listOf, marksOf } from '../../src/context/version.ts'
import { dueCompaction, type CompactionDue, type WindowRules } from '../../src/context/window.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { Kind, Message, Mode } from '../../src/event/event.ts'
import { makeBranchId, makeTurnId, type BranchId, type Position } from '../../src/event/id.ts'
import { isSummary, type Item } from '../../src/event/item.ts'
import type { Reader, Writing } from '../../src/event/table.ts'
import { identity, PERSON } from './trial.ts'

export interface ForkWords {
  readonly inherit?: Inheritance
  readonly goal?: string
  readonly mode?: Mode
  readonly step?: Position
}

/** Rules and room that make a case easy to see; by default there is unlimited room. */
export interface DueWords {
  readonly rules?: Partial<WindowRules>
  readonly fixed?: number
  readonly context?: number
  readonly demand?: 'by-person' | 'must-fit'
}

const RULES: WindowRules = {
  policy: 'managed',
  windowMessages: 2,
  thresholdMessages: 6,
  truncationMessages: 100,
  shareMin: 0,
  historyTokensMax: null,
  summaryTokensMax: 1,
}

/** The real code alone, with words for its acts, so that a case reads like a story. */
export class Scene {
  readonly ids = new Map<string, BranchId>()
  readonly random = seededRandom(7)
  writing: Writing
  at = 1_700_000_000_000

  constructor(writing: Writing) {
    this.writing = writing
  }

  root(name: string, mode: Mode = 'main'): void {
    const child = this.#named(name)
    this.#do(createBranch({ child, mode, title: null, at: this.at, author: PERSON }))
  }

  say(branch: string, message: Message, tokens = 1): string {
    return this.#do(addMessage(this.writing, { branch: this.id(branch), at: this.at, message, tokens }))
  }

  note(branch: string, ...texts: string[]): string {
    return texts.map((text) => this.say(branch, { role: 'note', text, author: PERSON })).join()
  }

  /** `turn('main', 'a')` adds the question `a` and the answer `a!`. */
  turn(branch: string, ...texts: string[]): void {
    for (const text of texts) {
      this.start(branch, text)
      this.say(branch, { role: 'assistant', text: `${text}!`, calls: [] })
      this.finish(branch)
    }
  }

  start(branch: string, text: string): string {
    const turn = makeTurnId(this.at, this.random)
    const started = this.#do(startTurn(this.writing, { branch: this.id(branch), at: this.at, turn }))
    return started === 'done' ? this.say(branch, { role: 'user', text }) : started
  }

  finish(branch: string): string {
    return this.#do(endTurn(this.writing, { branch: this.id(branch), at: this.at, outcome: 'answered' }))
  }

  /** The assistant message of a step; a model's slash effects refer to its position. */
  call(branch: string, text: string, ...calls: string[]): Position {
    this.say(branch, { role: 'assistant', text, calls: calls.map((id) => ({ id, tool: 'slash', args: {} })) })
    return this.writing.end as Position
  }

  result(branch: string, ...calls: string[]): string {
    return calls.map((call) => this.say(branch, { role: 'tool', call, tool: 'slash', text: 'done' })).join()
  }

  mark(branch: string, name: string): string {
    return this.#do(setMark(this.writing, { ...this.act(branch), name }))
  }

  clear(branch: string): string {
    return this.#do(clear(this.writing, this.act(branch)))
  }

  rewind(branch: string, name?: string, messagesMin = 0): string {
    const to = name === undefined ? {} : { name }
    return this.#do(rewind(this.writing, { ...this.act(branch), ...to, messagesMin }))
  }

  clearByModel(branch: string, step: Position, name?: string): string {
    const to = name === undefined ? {} : { name }
    return this.#do(clearByModel(this.writing, { ...this.act(branch), ...to, step, messagesMin: 0 }))
  }

  undo(branch: string): string {
    return this.#do(undo(this.writing, this.act(branch)))
  }

  redo(branch: string): string {
    return this.#do(redo(this.writing, this.act(branch)))
  }

  expand(branch: string): string {
    return this.#do(expand(this.writing, this.act(branch)))
  }

  fork(parent: string, child: string, words: ForkWords = {}): string {
    const { inherit = { take: 'everything' }, goal, mode = 'fork' } = words
    const id = makeBranchId(this.at, this.random)
    const step = words.step === undefined ? {} : { step: words.step }
    const who = { parent: this.id(parent), child: id, mode, title: null, at: this.at, author: PERSON }
    const done = this.#do(fork(this.writing, { ...who, inherit, hasGoal: goal !== undefined, ...step }))
    if (done !== 'done') return done
    this.ids.set(child, id)
    return goal === undefined ? done : this.say(child, { role: 'user', text: goal })
  }

  /** Does not end the branch: that is an event of its own. */
  save(branch: string): string {
    return this.#do(save(this.writing, this.act(branch)))
  }

  end(branch: string): void {
    this.writing.append({ kind: 'branch-ended', ...this.act(branch), v: 1, reason: 'killed' })
  }

  /** A turn that continues the last one's work. */
  continue(branch: string): void {
    const { state } = getBranch(this.writing, this.id(branch))
    const continues = state.kind === 'idle' ? (state.last?.turn ?? null) : null
    const turn = makeTurnId(this.at, this.random)
    this.#do(startTurn(this.writing, { branch: this.id(branch), at: this.at, turn, continues }))
  }

  recover(branch: string): void {
    recover(this.writing, { branch: this.id(branch), at: this.at })
  }

  plan(branch: string, keep: number): CompactionPlan {
    const plan = planCompaction(this.writing, { branch: this.id(branch), keep })
    if (isRefusal(plan)) throw new Error(`no plan: ${plan.refused}`)
    return plan
  }

  /** `done`, `abandoned`, or why it was refused. The parts get `text`, `text'`, … */
  commit(branch: string, { covered, parts }: CompactionPlan, text: string): string {
    const texts = parts.map((_, index) => ({ text: text + "'".repeat(index), tokens: 1 }))
    const author = { by: 'policy', name: 'window' } as const
    const decision = compact(this.writing, { ...this.act(branch), author, covered, texts, writer: 'extract' })
    const done = this.#do(decision)
    return !isRefusal(decision) && decision.draft.kind === 'compaction-abandoned' ? 'abandoned' : done
  }

  compact(branch: string, text: string, keep = 1): string {
    return this.commit(branch, this.plan(branch, keep), text)
  }

  /** What the window wants done in a branch. */
  due(branch: string, words: DueWords = {}): CompactionDue {
    const { demand, fixed: fixedTokens = 0, context: contextTokens = Number.POSITIVE_INFINITY } = words
    const rules = { ...RULES, ...words.rules }
    const room = { fixedTokens, contextTokens }
    const question = { branch: this.id(branch), rules, room }
    return dueCompaction(this.writing, demand === undefined ? question : { ...question, demand })
  }

  /** Compacts if it is due; returns why it did, or why not. */
  compactWhenDue(branch: string, text: string, words: DueWords = {}): string {
    const due = this.due(branch, words)
    if (due.kind === 'refused') return due.refusal.refused
    if (due.kind === 'nothing') return due.because
    const done = this.commit(branch, due.plan, text)
    return done === 'done' ? due.because : done
  }

  /** The view of a branch: messages by text, results as `call=`, summaries as `{text: what they cover}`. */
  shows(branch: string): string {
    return shown(this.writing, listOf(this.writing, getBranch(this.writing, this.id(branch))))
  }

  marks(branch: string): string {
    const found = marksOf(this.writing, getBranch(this.writing, this.id(branch)))
    return found.map(({ name }) => name).join(' ')
  }

  state(branch: string): string {
    return findBranch(this.writing, this.id(branch))?.state.kind ?? 'unknown'
  }

  act(branch: string): Act {
    return { branch: this.id(branch), at: this.at, author: PERSON }
  }

  id(name: string): BranchId {
    const id = this.ids.get(name)
    if (id === undefined) throw new Error(`there is no branch ${name} in this scene`)
    return id
  }

  #named(name: string): BranchId {
    const id = makeBranchId(this.at, this.random)
    this.ids.set(name, id)
    return id
  }

  #do<K extends Kind>(decision: Decision<K>): string {
    if (isRefusal(decision)) return decision.refused
    this.writing.append(decision.draft)
    return 'done'
  }
}

function shown(reader: Reader, list: readonly Item[]): string {
  return list
    .flatMap((item) => {
      if (isSummary(item))
        return [`{${summaryAt(reader, item).text}: ${shown(reader, coversOf(reader, item))}}`]
      return messagesIn(reader, item).map(({ position }) => identity(messageOf(reader.event(position))))
    })
    .join(' ')
}
