import { findBranch, type Branch } from '../../context/branch.ts'
import { lastMessage } from '../../context/message-index.ts'
import type { EndedWork } from '../../context/tables.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { askedIn, isForPeople, joinsWork, whoAsked } from '../state/asker.ts'
import { givesUpAt, idleAt } from './idle.ts'
import { endsAt, runIn } from '../state/run.ts'
import { admittedAt, firstWaiting, isCommand, waiting, type Waiting } from '../state/inbox.ts'
import { newestUnread } from '../state/mail.ts'
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
  /** A fork in which nobody has said anything for too long. */
  | { readonly kind: 'idle' }

export interface TurnDue {
  readonly kind: 'turn'
  readonly because: 'message' | 'unfinished' | 'mail'
  /** A person is waiting for it. */
  readonly isAsked: boolean
  readonly mode: Branch['mode']
  /** For a run that has begun: when its time is over. */
  readonly until?: number
}

const IDLE_CHILD_MS = 24 * 60 * 60 * 1000

export interface DueQuestion {
  readonly branch: BranchId
  readonly now: number
  /** Set when the person does not want to wait until the time of a deferral. */
  readonly isImpatient: boolean
  /** How long a fork may be silent if it sets no time of its own. Not given: forks wait for ever. */
  readonly idleMs?: number
}

export function dueIn(reader: Reader, question: DueQuestion): Due {
  const branch = findBranch(reader, question.branch)
  if (branch === undefined || branch.state.kind === 'ended') return { kind: 'nothing' }
  // An imported log may end within a step, and nothing can follow that but its results (CTX3).
  if (branch.state.kind === 'running' || (lastMessage(reader, branch.id)?.open ?? 0) > 0)
    return { kind: 'recovery' }
  const { last } = branch.state
  const run = branch.mode === 'background' ? runIn(reader, branch.id) : undefined
  const timeUp = run && endsAt(run)
  if (timeUp !== undefined && timeUp <= question.now) return { kind: 'end' }
  const first = firstWaiting(reader, branch.id)
  // Work left undone when the run's time was over is not continued.
  if (first === undefined && run?.isResting === true && timeUp === undefined) return { kind: 'nothing' }
  const isHeld = first !== undefined && waitsForAnswer(reader, branch, { first, last })
  if (first !== undefined && isCommand(first) && !isHeld) return { kind: 'command' }
  const retryAt = last?.outcome === 'deferred' && !question.isImpatient ? (last.retryAt ?? 0) : 0
  if (retryAt > question.now) {
    // A command typed after a message does not wait with it for the model: /retry above all must not.
    if (!isHeld && waiting(reader, branch.id).some(isCommand) && canJoin(reader, branch, first))
      return { kind: 'take' }
    const over = timeUp ?? givesUpAt(reader, branch, question.idleMs) ?? retryAt
    return over <= question.now ? { kind: 'idle' } : { kind: 'later', at: Math.min(retryAt, over) }
  }
  const isAsked = last !== null && goesOn(last, question) ? whoAsked(reader, branch) !== undefined : undefined
  if (first !== undefined && !isHeld)
    return withInbox(reader, branch, { wasAsked: isAsked ?? false, until: timeUp })
  if (isAsked !== undefined) return turnIn(branch, { because: 'unfinished', isAsked, until: timeUp })
  if (branch.mode === 'fork') return ofFork(reader, branch, question)
  // A run that has begun and has nothing left to do is over, whatever the reason.
  if (timeUp !== undefined) return { kind: 'end' }
  return branch.mode === 'child' ? ofChild(reader, branch, { last, now: question.now }) : { kind: 'nothing' }
}

function canJoin(reader: Reader, branch: Branch, first: Waiting | undefined): boolean {
  return first === undefined || joinsWork(reader, branch, admittedAt(reader, first.position))
}

function turnIn(
  { mode }: Branch,
  { until, ...turn }: Pick<TurnDue, 'because' | 'isAsked'> & { readonly until: number | undefined },
): TurnDue {
  return { kind: 'turn', ...turn, mode, ...(until !== undefined && { until }) }
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
  const { now } = question
  const at = idleAt(reader, branch, question)
  if (at === undefined) return { kind: 'nothing' }
  return at <= now ? { kind: 'idle' } : { kind: 'later', at }
}

/** Whether the last work continues without anything new. Answered work is done. */
function goesOn({ outcome }: EndedWork, { isImpatient }: DueQuestion): boolean {
  if (outcome === 'answered') return false
  return isImpatient || outcome === 'interrupted' || outcome === 'deferred'
}

function withInbox(
  reader: Reader,
  branch: Branch,
  { wasAsked, until }: { readonly wasAsked: boolean; readonly until: number | undefined },
): Due {
  const entries = waiting(reader, branch.id)
  const command = entries.findIndex(isCommand)
  const front = command < 0 ? entries : entries.slice(0, command)
  if (!front.some(({ form }) => form === 'message')) return { kind: 'take' }
  const isAsked = wasAsked || isForPeople(branch) || front.some(({ source }) => source === 'person')
  return turnIn(branch, { because: 'message', isAsked, until })
}

function ofChild(
  reader: Reader,
  branch: Branch,
  { last, now }: { last: EndedWork | null; now: number },
): Due {
  if (hasNewMail(reader, branch, last))
    return turnIn(branch, { because: 'mail', isAsked: false, until: undefined })
  // A clear hides the last turn, but the day is still counted from it.
  const endsAt = reader.event(last?.endedAt ?? branch.version).at + IDLE_CHILD_MS
  return endsAt <= now ? { kind: 'end' } : { kind: 'later', at: endsAt }
}

/** Mail that came after the last turn began: that turn was told of any earlier mail. */
function hasNewMail(reader: Reader, branch: Branch, last: EndedWork | null): boolean {
  const newest = newestUnread(reader, branch.id)
  if (newest === undefined) return false
  const started = last === null ? undefined : reader.row(turnTable, [last.turn])
  return newest > (started?.position ?? 0)
}
