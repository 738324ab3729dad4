import { findBranch, type Branch } from '../../context/branch.ts'
import type { EndedWork } from '../../context/tables.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { askedIn, isForPeople, whoAsked } from '../state/asker.ts'
import { givesUpAt, idleAt } from './idle.ts'
import { endsAt, runIn } from '../state/run.ts'
import { firstWaiting, isCommand, waiting, type Waiting } from '../state/inbox.ts'
import { newestUnread } from '../state/mail.ts'
import { turnTable } from '../state/tables.ts'

/** What a branch has to do next. One function decides; whoever runs lanes acts. */
export type Due =
  | { readonly kind: 'nothing' }
  /** Nothing before this time. */
  | { readonly kind: 'later'; readonly at: number }
  /** A turn of a process that is gone is to be closed first. */
  | { readonly kind: 'recovery' }
  | { readonly kind: 'command' }
  /** What is at the front of the inbox is added to the branch, and asks for no turn now. */
  | { readonly kind: 'take' }
  | TurnDue
  /** A child that nobody needed for a day, or a run that has nothing left to do or no time to do it. */
  | { readonly kind: 'end' }
  /** A fork in which nobody has said anything for too long. */
  | { readonly kind: 'idle' }

export interface TurnDue {
  readonly kind: 'turn'
  readonly because: 'message' | 'unfinished' | 'mail'
  /** A person waits for it. */
  readonly isAsked: boolean
  readonly mode: Branch['mode']
  /** Of a run that has begun: when its time is over. */
  readonly until?: number
}

const IDLE_CHILD_MS = 24 * 60 * 60 * 1000

export interface DueQuestion {
  readonly branch: BranchId
  readonly now: number
  /** Set when the person does not want to wait for the time that a deferral named. */
  readonly isImpatient: boolean
  /** How long nobody may speak in a fork that says nothing else itself. Not given: forks wait for ever. */
  readonly idleMs?: number
}

export function dueIn(reader: Reader, question: DueQuestion): Due {
  const branch = findBranch(reader, question.branch)
  if (branch === undefined || branch.state.kind === 'ended') return { kind: 'nothing' }
  if (branch.state.kind === 'running') return { kind: 'recovery' }
  const { last } = branch.state
  const run = branch.mode === 'background' ? runIn(reader, branch.id) : undefined
  const timeUp = run && endsAt(run)
  if (timeUp !== undefined && timeUp <= question.now) return { kind: 'end' }
  const first = firstWaiting(reader, branch.id)
  // What it left undone when its time was over is not gone on with.
  if (first === undefined && run?.isResting === true && timeUp === undefined) return { kind: 'nothing' }
  const isHeld = first !== undefined && waitsForAnswer(reader, branch, { first, last })
  if (first !== undefined && isCommand(first) && !isHeld) return { kind: 'command' }
  const retryAt = last?.outcome === 'deferred' && !question.isImpatient ? (last.retryAt ?? 0) : 0
  if (retryAt > question.now) {
    // A command that was typed behind a message does not wait with it for the model: /retry least of all.
    if (!isHeld && waiting(reader, branch.id).some(isCommand)) return { kind: 'take' }
    const over = timeUp ?? givesUpAt(reader, branch, question.idleMs) ?? retryAt
    return over <= question.now ? { kind: 'idle' } : { kind: 'later', at: Math.min(retryAt, over) }
  }
  const isAsked = last !== null && goesOn(last, question) ? whoAsked(reader, branch) !== undefined : undefined
  if (first !== undefined && !isHeld)
    return withInbox(reader, branch, { wasAsked: isAsked ?? false, until: timeUp })
  if (isAsked !== undefined) return turnIn(branch, { because: 'unfinished', isAsked, until: timeUp })
  if (branch.mode === 'fork') return ofFork(reader, branch, question)
  // A run that has begun and has nothing left to do is over, however it came to that.
  if (timeUp !== undefined) return { kind: 'end' }
  return branch.mode === 'child' ? ofChild(reader, branch, { last, now: question.now }) : { kind: 'nothing' }
}

function turnIn(
  { mode }: Branch,
  { until, ...turn }: Pick<TurnDue, 'because' | 'isAsked'> & { readonly until: number | undefined },
): TurnDue {
  return { kind: 'turn', ...turn, mode, ...(until !== undefined && { until }) }
}

/**
 * Whether a command waits for the end of a turn that is not over yet: a death is not that end. Nor is a deferral, for what
 * a model asked for while a person waits for its answer; a command of the person behind it comes before that answer.
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

/** Whether the last work is to be taken up again without anything new. What was answered is done. */
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
  // A clear parts it from its last turn, but not from its day.
  const endsAt = reader.event(last?.endedAt ?? branch.version).at + IDLE_CHILD_MS
  return endsAt <= now ? { kind: 'end' } : { kind: 'later', at: endsAt }
}

/** Mail that came after the last turn began: what lay there before, that turn was told of. */
function hasNewMail(reader: Reader, branch: Branch, last: EndedWork | null): boolean {
  const newest = newestUnread(reader, branch.id)
  if (newest === undefined) return false
  const started = last === null ? undefined : reader.row(turnTable, [last.turn])
  return newest > (started?.position ?? 0)
}
