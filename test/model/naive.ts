import type { Mode } from '../../src/event/event.ts'
import {
  bare,
  behind,
  messagesUnder,
  openedAt,
  openedTo,
  sameContent,
  sentinelsIn,
  upTo,
  withoutSentinel,
  type Entry,
  type NaiveMessage,
} from './entry.ts'

/** The history of a branch, in order. Undo takes the last change out, redo puts it back. */
export type Act =
  | { readonly kind: 'add'; readonly messages: readonly NaiveMessage[] }
  | { readonly kind: 'place'; readonly name: string }
  | { readonly kind: 'remove'; readonly name: string }
  | Change

export interface Change {
  readonly kind: 'change'
  readonly what: 'clear' | 'compact' | 'expand' | 'save'
  readonly apply: (entries: readonly Entry[]) => readonly Entry[]
}

export interface NaiveBranch {
  readonly number: number
  readonly parent: number | null
  readonly mode: Mode
  readonly base: readonly Entry[]
  readonly journal: readonly Act[]
  readonly redo: readonly { readonly act: Change; readonly index: number }[]
  /** The journal replayed on the base. */
  readonly entries: readonly Entry[]
  /** A step without all its results: nobody sees it yet. */
  readonly half: { readonly messages: readonly NaiveMessage[]; readonly open: readonly string[] } | null
  readonly turn: { readonly id: number; readonly messages: readonly NaiveMessage[] } | null
  /** Messages of the last turn and since, for a turn that continues it; null if the list was cut after it. */
  readonly lastTurn: readonly NaiveMessage[] | null
  /** Messages of the last turn and those it continued, without later ones. */
  readonly lastWork: readonly NaiveMessage[] | null
  /** Messages since somebody opened a summary; null if a compaction came later. */
  readonly held: number | null
  readonly ended: boolean
}

/** Hidden sentinels; no mark can have such a name. */
export const TURN = ' turn'
export const STEP = ' step'

export type Inherit = 'everything' | 'nothing' | { readonly afterMark: string }

export class NaiveWorld {
  branches: readonly NaiveBranch[] = []
  /** Numbers turns, saves and summaries. */
  #count = 0

  next(): number {
    return ++this.#count
  }

  get(number: number): NaiveBranch {
    const branch = this.branches[number]
    if (branch === undefined) throw new Error(`there is no branch ${number}`)
    return branch
  }

  put(branch: NaiveBranch): void {
    this.branches = this.branches.with(branch.number, branch)
  }

  create(parent: number | null, mode: Mode, base: readonly Entry[]): void {
    const fresh = { journal: [], redo: [], half: null, turn: null, ended: false }
    const untouched = { lastTurn: null, lastWork: null, held: null }
    this.branches = [
      ...this.branches,
      { number: this.branches.length, parent, mode, base, entries: base, ...fresh, ...untouched },
    ]
  }

  /** The branch, its parent, and so on. */
  line(number: number): readonly number[] {
    const { parent } = this.get(number)
    return parent === null ? [number] : [number, ...this.line(parent)]
  }

  act(number: number, act: Act): void {
    const branch = this.get(number)
    const redo = act.kind === 'change' ? [] : branch.redo
    this.put({ ...branch, journal: [...branch.journal, act], entries: replayed(branch.entries, act), redo })
  }

  mayChange(number: number): boolean {
    const { ended, half } = this.get(number)
    return !ended && half === null
  }

  mayChangeBetweenTurns(number: number): boolean {
    return this.mayChange(number) && this.get(number).turn === null
  }

  mark(number: number, name: string): boolean {
    if (!this.mayChange(number)) return false
    this.act(number, { kind: 'place', name })
    return true
  }

  clear(number: number): boolean {
    if (!this.mayChangeBetweenTurns(number) || this.get(number).entries.length === 0) return false
    this.act(number, { kind: 'change', what: 'clear', apply: () => [] })
    this.#part(number)
    return true
  }

  /** Without a name, rewinds to the newest mark. */
  rewind(number: number, { name, messagesMin }: { name: string | undefined; messagesMin: number }): boolean {
    if (!this.mayChangeBetweenTurns(number)) return false
    const { entries } = this.get(number)
    const names = sentinelsIn(entries)
    const to = name ?? names.at(-1)
    if (to === undefined || !names.includes(to)) return false
    const last = entries.at(-1)
    if (last?.kind === 'sentinel' && last.name === to) return false
    this.act(number, { kind: 'change', what: 'clear', apply: (all) => openedTo(upTo(all, to), messagesMin) })
    this.#part(number)
    return true
  }

  /** By the model at the end of a step: people's messages of this turn and the step itself stay. */
  clearByModel(
    number: number,
    { name, messagesMin }: { name: string | undefined; messagesMin: number },
  ): boolean {
    const { entries, turn } = this.get(number)
    if (!this.mayChange(number) || turn === null) return false
    if (name !== undefined && !sentinelsIn(entries).includes(name)) return false
    const step = messagesUnder(behind(entries, STEP))
    const keep = turn.messages.filter((message) => message.role === 'user' || step.includes(message))
    const apply = (all: readonly Entry[]): readonly Entry[] => {
      const cut = name === undefined ? [] : openedTo(upTo(all, name), messagesMin)
      return withKept(cut, keep, step[0])
    }
    const after = apply(entries)
    if (sameContent(after, entries) && String(marksIn(after)) === String(marksIn(entries))) return false
    this.act(number, { kind: 'change', what: 'clear', apply })
    return true
  }

  expand(number: number): boolean {
    const newest = newestSummary(this.get(number).entries)
    if (!this.mayChangeBetweenTurns(number) || newest === -1) return false
    this.act(number, { kind: 'change', what: 'expand', apply: (all) => openedAt(all, newestSummary(all)) })
    this.hold(number, 0)
    return true
  }

  undo(number: number): boolean {
    const branch = this.get(number)
    const index = branch.journal.findLastIndex((act) => act.kind === 'change')
    const act = branch.journal[index]
    if (!this.mayChangeBetweenTurns(number) || act?.kind !== 'change') return false
    this.#rewrite(branch, branch.journal.toSpliced(index, 1), [...branch.redo, { act, index }])
    this.#part(number)
    if (act.what === 'compact' || act.what === 'expand') this.hold(number, 0)
    return true
  }

  redo(number: number): boolean {
    const branch = this.get(number)
    const last = branch.redo.at(-1)
    if (!this.mayChangeBetweenTurns(number) || last === undefined) return false
    this.#rewrite(branch, branch.journal.toSpliced(last.index, 0, last.act), branch.redo.slice(0, -1))
    this.#part(number)
    if (last.act.what === 'expand') this.hold(number, 0)
    if (last.act.what === 'compact') this.hold(number, null)
    return true
  }

  /** Somebody cut the list between turns: a later turn does not continue what was said before. */
  #part(number: number): void {
    this.put({ ...this.get(number), lastTurn: null, lastWork: null })
  }

  hold(number: number, held: number | null): void {
    this.put({ ...this.get(number), held })
  }

  /** A person's fork gets everything before the running turn; a model's, everything before its step. */
  fork(number: number, act: { inherit: Inherit; byModel: boolean; hasGoal: boolean; mode: Mode }): boolean {
    const { inherit, byModel, hasGoal, mode } = act
    const { entries, turn } = this.get(number)
    const seen = byModel ? upTo(entries, STEP) : turn === null ? entries : upTo(entries, TURN)
    if (inherit === 'everything' || inherit === 'nothing') {
      this.create(number, mode, inherit === 'nothing' ? [] : bare(seen))
      return true
    }
    if (!sentinelsIn(entries).includes(inherit.afterMark)) return false
    const base = bare(behind(seen, inherit.afterMark))
    if (base.length === 0 && !hasGoal) return false
    this.create(number, mode, base)
    return true
  }

  /** An ended branch writes nothing more; an incomplete step stays hidden. */
  end(number: number): boolean {
    const branch = this.get(number)
    if (branch.ended) return false
    this.put({
      ...branch,
      ended: true,
      half: null,
      turn: null,
      entries: withoutSentinel(branch.entries, TURN),
    })
    return true
  }

  kill(number: number): readonly number[] {
    const below = this.branches.filter((branch) => this.line(branch.number).includes(number))
    return below.map((branch) => branch.number).filter((each) => this.end(each))
  }

  #rewrite(branch: NaiveBranch, journal: readonly Act[], redo: NaiveBranch['redo']): void {
    this.put({ ...branch, journal, redo, entries: journal.reduce(replayed, branch.base) })
  }
}

export function marksIn(entries: readonly Entry[]): readonly string[] {
  return sentinelsIn(entries).filter((name) => name !== TURN && name !== STEP)
}

function replayed(entries: readonly Entry[], act: Act): readonly Entry[] {
  switch (act.kind) {
    case 'add':
      return [...entries, ...act.messages.map((message): Entry => ({ kind: 'said', message, joined: null }))]
    case 'place':
      return [...withoutSentinel(entries, act.name), { kind: 'sentinel', name: act.name }]
    case 'remove':
      return withoutSentinel(entries, act.name)
    case 'change':
      return act.apply(entries)
  }
}

/** Adds missing messages, with the hidden places that a later fork looks for. */
function withKept(
  cut: readonly Entry[],
  keep: readonly NaiveMessage[],
  step: NaiveMessage | undefined,
): readonly Entry[] {
  const there = new Set(messagesUnder(cut))
  const kept = [...cut]
  for (const message of keep) {
    if (there.has(message)) continue
    // A continued turn lies before this one, even if both are kept.
    const opensTurn = message.turn === step?.turn && !sentinelsIn(kept).includes(TURN)
    if (opensTurn) kept.push({ kind: 'sentinel', name: TURN })
    if (message === step) kept.push({ kind: 'sentinel', name: STEP })
    kept.push({ kind: 'said', message, joined: null })
  }
  return kept
}

function newestSummary(entries: readonly Entry[]): number {
  const ages = entries.map((entry) => (entry.kind === 'summed' ? entry.age : -1))
  const newest = Math.max(-1, ...ages)
  return newest === -1 ? -1 : ages.indexOf(newest)
}
