import { getBranch, type Branch } from '../context/branch.ts'
import { isRefusal } from '../context/decision.ts'
import { messagesIn, rangeOf } from '../context/message-index.ts'
import { endTurn, openCalls } from '../context/step.ts'
import type { EventOf, Outcome } from '../event/event.ts'
import { handleOf, type BranchId, type TurnId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Address } from '../event/work.ts'
import type { Writing } from '../log/log.ts'
import { addressOf, admittedAt } from './inbox.ts'
import { mailTable } from './tables.ts'
import { add } from './taking.ts'

/** A turn that is running: nothing below is written for one that was stopped or killed meanwhile. */
export interface Running {
  readonly branch: BranchId
  readonly turn: TurnId
}

export function isRunning(reader: Reader, { branch, turn }: Running): boolean {
  const { state } = getBranch(reader, branch)
  return state.kind === 'running' && state.turn === turn
}

export interface Ending extends Running {
  readonly at: number
  readonly outcome: Outcome
  readonly retryAt?: number
}

/** Ends the turn; calls that were never answered get a result that says so (CTX3). */
export function endWith(writing: Writing, ending: Ending): void {
  const { branch, at, outcome, retryAt } = ending
  closeCalls(writing, { branch, at, because: outcome === 'stopped' ? 'stopped' : 'interrupted' })
  const decided = endTurn(writing, { branch, at, outcome })
  if (isRefusal(decided)) throw new TypeError(`the turn cannot end: ${decided.refused}`)
  writing.append(retryAt === undefined ? decided.draft : { ...decided.draft, retryAt })
}

const UNANSWERED = {
  stopped: 'Stopped by the person before a result came. It may or may not have been done.',
  interrupted: 'Interrupted before a result came. It may or may not have been done; it was not run again.',
} as const

export function closeCalls(
  writing: Writing,
  { branch, at, because }: { branch: BranchId; at: number; because: keyof typeof UNANSWERED },
): void {
  for (const call of openCalls(writing, branch)) {
    const text = JSON.stringify({ error: UNANSWERED[because] })
    const message = { role: 'tool', call: call.id, tool: call.tool, text, synthetic: because } as const
    add(writing, { branch, at, message })
  }
}

export interface Answer extends Running {
  readonly at: number
  readonly text: string
  readonly form: 'answer' | 'notice'
}

/**
 * Says to whoever asked what the turn came to: to the conversation of the person who spoke last in it, else to the
 * parent by mail. Returns the branches that have something to do because of it.
 */
export function tellWhoAsked(writing: Writing, answer: Answer): readonly BranchId[] {
  const branch = getBranch(writing, answer.branch)
  const { at, text, form, turn } = answer
  const to = askedIn(writing, branch) ?? (branch.mode === 'child' ? undefined : addressOf(writing, branch.id))
  if (to !== undefined) {
    writing.append({ kind: 'delivery-intended', branch: branch.id, at, v: 1, to, form, text, turn })
    return []
  }
  return branch.parent === null || branch.mode !== 'child' ? [] : mailParent(writing, branch, answer)
}

function mailParent(writing: Writing, branch: Branch, { at, text }: Answer): readonly BranchId[] {
  const parent = branch.parent === null ? undefined : getBranch(writing, branch.parent)
  if (parent === undefined || parent.state.kind === 'ended') return []
  if (!hasWrittenTo(writing, branch, parent.id) && text !== '')
    writing.append({ kind: 'mail-sent', branch: parent.id, at, v: 1, from: branch.id, text })
  const to = addressOf(writing, parent.id)
  if (parent.mode === 'main' && parent.state.kind === 'idle' && to !== undefined) {
    const line = `${handleOf(branch.id)} finished: ${firstLine(text)}`
    const intent = { to, form: 'notice', text: line, turn: null } as const
    writing.append({ kind: 'delivery-intended', branch: branch.id, at, v: 1, ...intent })
  }
  return [parent.id]
}

const LINE_MAX = 200

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length <= LINE_MAX ? line : `${line.slice(0, LINE_MAX).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function hasWrittenTo(reader: Reader, branch: Branch, parent: BranchId): boolean {
  const since = branch.state.kind === 'running' ? branch.state.since : Number.MAX_SAFE_INTEGER
  const stretch = { prefix: [parent], from: since, order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
  return reader.rows(mailTable, stretch).some((row) => row['sender'] === branch.id)
}

/** Where the person is who spoke last in the work that the running turn does. */
export function askedIn(reader: Reader, branch: Branch): Address | undefined {
  for (const { took } of workMessages(reader, branch).toReversed()) {
    const source = took === undefined ? undefined : admittedAt(reader, took).source
    if (source?.from === 'person') return { channel: source.channel, conversation: source.conversation }
  }
  return undefined
}

/** How often a model called tools since the work began, in turns that died too. */
export function roundsIn(reader: Reader, branch: Branch): number {
  return workMessages(reader, branch).filter(
    ({ message }) => message.role === 'assistant' && message.calls.length > 0,
  ).length
}

function workMessages(reader: Reader, { id, state }: Branch): EventOf<'message-added'>[] {
  if (state.kind !== 'running') return []
  const range = rangeOf(reader, id, { from: state.since, to: Number.MAX_SAFE_INTEGER })
  if (range === undefined) return []
  return messagesIn(reader, range).map(({ position }) => reader.event(position) as EventOf<'message-added'>)
}
