import { findBranch, getBranch, type Branch } from '../../context/branch.ts'
import { lastMessage } from '../../context/message-index.ts'
import type { EndedWork } from '../../context/tables.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { askedIn, isForPeople, joinsWork, whoAsked } from '../state/asker.ts'
import { givesUpAt, idleAt, owesReport } from './idle.ts'
import { waitsForModel } from '../state/home-model.ts'
import { endsAt, runIn } from '../state/run.ts'
import type { AgentSettings } from '../state/settings.ts'
import {
  admittedAt,
  firstWaiting,
  isCommand,
  isHeldBack,
  newestUnread,
  ready,
  waiting,
  type Waiting,
} from '../state/inbox.ts'
import { turnTable } from '../state/tables.ts'

/** What a branch has to do next. This function only decides; the lanes act on it. */
export type Due =
  | { readonly kind: 'nothing' }
  /** Nothing before this time. */
  | { readonly kind: 'later'; readonly at: number }
  /** A turn or a step that was left open must be closed first. */
  | { readonly kind: 'recovery' }
  | { readonly kind: 'command' }
  /** The first item of the inbox is added to the branch and needs no turn now. */
  | { readonly kind: 'take' }
  | TurnDue
  /** A child that nobody needed for a day, or a run with nothing left to do or no time left. */
  | { readonly kind: 'end' }
  /** A fork in which nobody has said anything for too long, or whose agent did not write the report it was asked for. */
  | { readonly kind: 'idle'; readonly isReport?: true }

export interface TurnDue {
  readonly kind: 'turn'
  readonly because: 'message' | 'unfinished' | 'mail'
  /** A person is waiting for it. */
  readonly isAsked: boolean
  readonly mode: Branch['mode']
  /** For a run that has begun: when its time is over. */
  readonly until: number | undefined
}

const IDLE_CHILD_MS = 24 * 60 * 60 * 1000

export interface DueQuestion {
  readonly branch: BranchId
  readonly now: number
  /** Set when the person does not want to wait until the time of a deferral. */
  readonly isImpatient?: boolean
  /** How long a fork may be silent if it sets no time of its own. Not given: forks wait for ever. */
  readonly idleMs?: number
  /** Not given: a model is chosen. */
  readonly modelFrom?: AgentSettings['modelFrom']
}

/** A model may be chosen by another process, and nobody says so. */
const MODEL_LOOK_MS = 5_000

export function dueIn(reader: Reader, question: DueQuestion): Due {
  const { branch, now } = question
  const first = firstWaiting(reader, branch)
  if (first === undefined || !isHeldBack(first, now)) return dueWith(reader, question, first)
  const due = dueWith(reader, question, undefined)
  const at = first.not_before ?? now
  if (due.kind === 'later') return { kind: 'later', at: Math.min(at, due.at) }
  return due.kind === 'nothing' || due.kind === 'end' ? { kind: 'later', at } : due
}

/** `first`: what waits in the inbox and may be taken now. */
function dueWith(reader: Reader, question: DueQuestion, first: Waiting | undefined): Due {
  const branch = findBranch(reader, question.branch)
  if (branch === undefined || branch.state.kind === 'ended') return { kind: 'nothing' }
  // An imported log may end within a step, and nothing can follow that but its results (CTX3).
  if (branch.state.kind === 'running' || (lastMessage(reader, branch.id)?.open ?? 0) > 0)
    return { kind: 'recovery' }
  const { last } = branch.state
  const run = branch.mode === 'background' ? runIn(reader, branch.id) : undefined
  const timeUp = run && endsAt(run)
  if (timeUp !== undefined && timeUp <= question.now) return { kind: 'end' }
  // Work left undone when the run's time was over is not continued.
  if (first === undefined && run?.isResting === true && timeUp === undefined) return { kind: 'nothing' }
  const isHeld = first !== undefined && waitsForAnswer(reader, branch, { first, last })
  if (first !== undefined && isCommand(first) && !isHeld) return { kind: 'command' }
  if (first === undefined && owesReport(reader, branch)) return { kind: 'idle', isReport: true }
  const retryAt = triesAt(reader, question, last)
  if (retryAt > question.now) {
    // A command typed after a message does not wait with it for the model: /retry above all must not.
    const isDeferred = last?.outcome === 'deferred'
    if (isDeferred && !isHeld && waiting(reader, branch.id).some(isCommand) && canJoin(reader, branch, first))
      return { kind: 'take' }
    const over = timeUp ?? givesUpAt(reader, branch, question.idleMs) ?? retryAt
    return over <= question.now ? { kind: 'idle' } : { kind: 'later', at: Math.min(retryAt, over) }
  }
  const turn = { kind: 'turn', mode: branch.mode, until: timeUp } as const
  const isAsked = last !== null && goesOn(last, question) ? whoAsked(reader, branch) !== undefined : undefined
  if (first !== undefined && !isHeld)
    return withInbox(ready(reader, branch.id, question.now), branch, { ...turn, isAsked: isAsked ?? false })
  if (isAsked !== undefined) return { ...turn, because: 'unfinished', isAsked }
  if (branch.mode === 'fork') return ofFork(reader, branch, question)
  // A run that has begun and has nothing left to do is over, whatever the reason.
  if (timeUp !== undefined) return { kind: 'end' }
  if (branch.mode !== 'child') return { kind: 'nothing' }
  if (hasNewMail(reader, branch, last)) return { ...turn, because: 'mail', isAsked: false }
  // A clear hides the last turn, but the day is still counted from it.
  const at = reader.event(last?.endedAt ?? branch.version).at + IDLE_CHILD_MS
  return at <= question.now ? { kind: 'end' } : { kind: 'later', at }
}

/** Nothing is tried before this time. */
function triesAt(reader: Reader, question: DueQuestion, last: EndedWork | null): number {
  const { branch, now, isImpatient = false, modelFrom = '' } = question
  if (waitsForModel(reader, branch, { modelFrom })) return now + MODEL_LOOK_MS
  return last?.outcome === 'deferred' && !isImpatient ? (last.retryAt ?? 0) : 0
}

/** Whether a branch works, or has something to do now. */
export function isWorking(reader: Reader, branch: BranchId, now: number): boolean {
  const { state } = getBranch(reader, branch)
  if (state.kind === 'ended') return false
  if (state.kind === 'running' || state.last?.outcome === 'deferred') return true
  const { kind } = dueIn(reader, { branch, now })
  // `later` is only the end of a child that is no longer needed.
  return kind !== 'nothing' && kind !== 'later' && kind !== 'end'
}

function canJoin(reader: Reader, branch: Branch, first: Waiting | undefined): boolean {
  return first === undefined || joinsWork(reader, branch, admittedAt(reader, first.position))
}

/**
 * Whether a command waits for the end of a turn that is not over yet. A crash does not end a turn. Nor does a deferral,
 * for a model's command while a person waits for the answer; a person's own command runs before that answer.
 */
function waitsForAnswer(
  reader: Reader,
  branch: Branch,
  { first, last }: { readonly first: Waiting; readonly last: EndedWork | null },
): boolean {
  if (first.form !== 'command') return false
  if (last?.outcome === 'interrupted') return true
  if (last?.outcome !== 'deferred' || first.source !== 'host') return false
  return askedIn(reader, branch) !== undefined && waiting(reader, branch.id).filter(isCommand).length === 1
}

function ofFork(reader: Reader, branch: Branch, question: DueQuestion): Due {
  const at = idleAt(reader, branch, question)
  if (at === undefined) return { kind: 'nothing' }
  return at <= question.now ? { kind: 'idle' } : { kind: 'later', at }
}

/** Whether the last work continues without anything new. Answered work is done. */
function goesOn({ outcome }: EndedWork, { isImpatient = false }: DueQuestion): boolean {
  if (outcome === 'answered') return false
  return isImpatient || outcome === 'interrupted' || outcome === 'deferred'
}

function withInbox(entries: readonly Waiting[], branch: Branch, turn: Omit<TurnDue, 'because'>): Due {
  const command = entries.findIndex(isCommand)
  const front = command < 0 ? entries : entries.slice(0, command)
  if (!front.some(({ form }) => form === 'message')) return { kind: 'take' }
  const isAsked = turn.isAsked || isForPeople(branch) || front.some(({ source }) => source === 'person')
  return { ...turn, because: 'message', isAsked }
}

/** Mail that came after the last turn began: that turn was told of any earlier mail. */
function hasNewMail(reader: Reader, branch: Branch, last: EndedWork | null): boolean {
  const newest = newestUnread(reader, branch.id)
  if (newest === undefined) return false
  const started = last === null ? undefined : reader.row(turnTable, [last.turn])
  return newest > (started?.position ?? 0)
}
