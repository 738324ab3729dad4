import { childrenOf, getBranch, isHandleTaken, lineOf, type Branch } from '../../context/branch.ts'
import { isRefusal } from '../../context/decision.ts'
import { fork, type Inheritance } from '../../context/fork.ts'
import { lastMessage, messagesIn, rangeOf } from '../../context/message-index.ts'
import { messageOf } from '../../context/step.ts'
import { marksOf } from '../../context/version.ts'
import type { Message } from '../../event/event.ts'
import { handleOf, makeBranchId, type BranchId, type Position } from '../../event/id.ts'
import type { Mark } from '../../event/item.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { done, refusal, type Actor, type Said } from '../act.ts'
import { dueIn } from '../due.ts'
import { endWith } from '../ending.ts'
import { add } from '../taking.ts'
import { sayRefusal } from './refusals.ts'

export interface ForkAsked {
  readonly inherit: Inheritance
  readonly goal: string | null
  /** The person goes into it (`fork`), or it works on its own (`child`). */
  readonly mode: 'fork' | 'child'
  /** Set when a model forks: the assistant message of its step, which the child does not see. */
  readonly step?: Position
}

export interface Forked extends Said {
  readonly child?: BranchId
}

const DO_ABOVE = 'You are the child; do the task above.'

/** A new branch off this one. A child is given its task through its inbox and starts at once. */
export function actFork(writing: Writing, actor: Actor, asked: ForkAsked): Forked {
  const parent = getBranch(writing, actor.branch)
  const full = limitReached(writing, actor, { parent, mode: asked.mode })
  if (full !== undefined) return full
  const handed = asked.step === undefined ? handOver(writing, actor, { parent, asked }) : undefined
  const child = newBranchId(writing, actor)
  const step = asked.step ?? handed?.step
  const decided = fork(writing, {
    parent: parent.id,
    child,
    mode: asked.mode,
    title: asked.goal === null ? null : titleOf(asked.goal),
    inherit: asked.inherit,
    hasGoal: asked.goal !== null,
    ...(step !== undefined && { step }),
    at: actor.at,
    author: actor.author,
  })
  if (isRefusal(decided)) return sayRefusal(decided)
  writing.append(decided.draft)
  if (handed !== undefined) endTurnFor(writing, actor, parent)
  if (asked.mode === 'child' || asked.goal !== null)
    admitTask(writing, actor, { child, text: asked.goal ?? DO_ABOVE })
  if (asked.inherit.take === 'after-mark') noteGiven(writing, actor, { child, mark: asked.inherit.name })
  const from = asked.inherit.take === 'after-mark' ? ` (from ${asked.inherit.name})` : ''
  const said = `Forked. Child: ${handleOf(child)}${from}${handed === undefined ? '' : HANDED}`
  return { ...done(said, { wake: [child], ...(handed !== undefined && { abort: [parent.id] }) }), child }
}

const HANDED = '\nI stopped answering here: the child has your message as its task.'

function limitReached(
  reader: Reader,
  { settings, at }: Actor,
  { parent, mode }: { parent: Branch; mode: ForkAsked['mode'] },
): Said | undefined {
  const depth = lineOf(reader, parent).length
  if (depth > settings.depthMax)
    return refusal(
      `Not forked: branches may be ${settings.depthMax} deep, and this one is. Do the task here, or raise depthMax.`,
    )
  if (mode === 'fork') return undefined
  const live = childrenOf(reader, parent.id).filter((id) => isAtWork(reader, id, at)).length
  if (live < settings.childrenMax) return undefined
  return refusal(
    `Not forked: ${live} children are at work here, and ${settings.childrenMax} are the most. Wait for one, or kill one; /agents lists them.`,
  )
}

/** Idle children do not count: they cost nothing. */
function isAtWork(reader: Reader, branch: BranchId, now: number): boolean {
  const { state, mode } = getBranch(reader, branch)
  if (mode !== 'child' || state.kind === 'ended') return false
  if (state.kind === 'running') return true
  const due = dueIn(reader, { branch, now, isImpatient: true })
  return due.kind === 'turn' && (state.last === null || state.last.outcome === 'deferred')
}

function newBranchId(reader: Reader, { at, random }: Actor): BranchId {
  for (;;) {
    const id = makeBranchId(at, random)
    if (!isHandleTaken(reader, id)) return id
  }
}

const TITLE_MAX = 60

function titleOf(goal: string): string {
  const line = goal.trim().split('\n', 1)[0] ?? ''
  return (line.length <= TITLE_MAX ? line : `${line.slice(0, TITLE_MAX - 1)}…`).toWellFormed()
}

function admitTask(
  writing: Writing,
  { at }: Actor,
  { child, text }: { child: BranchId; text: string },
): void {
  const source = { from: 'host', tag: 'fork-started' } as const
  writing.append({ kind: 'inbound-admitted', branch: child, at, v: 1, source, form: 'message', text })
}

/**
 * A `/fork MARK` that comes while the branch still answers the only thing said after the mark: that was the task, and
 * the answer is not wanted here. Where the child's view ends, if so.
 */
function handOver(
  reader: Reader,
  { branch }: Actor,
  { parent, asked }: { parent: Branch; asked: ForkAsked },
): { readonly step: Position } | undefined {
  if (parent.state.kind !== 'running' || asked.inherit.take !== 'after-mark') return undefined
  const { name } = asked.inherit
  const mark = marksOf(reader, parent).find((other) => other.name === name)
  const { startedAt } = parent.state
  if (mark === undefined || mark.at > startedAt) return undefined
  const said = ownAfter(reader, branch, mark)
  const isTask = said.some(({ position, message }) => position > startedAt && message.role === 'user')
  const isOnly = said.every(({ position, message }) => position > startedAt || message.role === 'note')
  if (!isTask || !isOnly) return undefined
  const step = said.find(({ message }) => message.role !== 'user' && message.role !== 'note')?.position
  return { step: step ?? (((lastMessage(reader, branch)?.position ?? 0) + 1) as Position) }
}

function endTurnFor(writing: Writing, { at }: Actor, { id, state }: Branch): void {
  if (state.kind === 'running') endWith(writing, { branch: id, turn: state.turn, at, outcome: 'stopped' })
}

/** So that nobody here answers later what another branch was given to do. */
function noteGiven(
  writing: Writing,
  { branch, at }: Actor,
  { child, mark }: { child: BranchId; mark: string },
): void {
  const parent = getBranch(writing, branch)
  const place = marksOf(writing, parent).find(({ name }) => name === mark)
  if (place === undefined || (lastMessage(writing, branch)?.open ?? 0) > 0) return
  const said = ownAfter(writing, branch, place)
  const isAnswered = said.some(({ message }) => message.role === 'assistant' && message.calls.length === 0)
  if (said.length === 0 || isAnswered) return
  const author = { by: 'policy', name: 'fork' } as const
  add(writing, { branch, at, message: { role: 'note', author, text: `given to ${handleOf(child)}` } })
}

function ownAfter(
  reader: Reader,
  branch: BranchId,
  mark: Mark,
): { readonly position: Position; readonly message: Message }[] {
  const range = rangeOf(reader, branch, { from: mark.at, to: Number.MAX_SAFE_INTEGER })
  if (range === undefined) return []
  return messagesIn(reader, range).map(({ position }) => {
    return { position, message: messageOf(reader.event(position)) }
  })
}
