import { findBranch, type Branch } from '../context/branch.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { firstWaiting, isCommand, waiting } from './inbox.ts'
import { unreadMail } from './mail.ts'
import { turnTable } from './tables.ts'

/** What a branch has to do next. One function decides; whoever runs lanes acts. */
export type Due =
  | { readonly kind: 'nothing' }
  /** Nothing before this time. */
  | { readonly kind: 'later'; readonly at: number }
  /** A turn of a process that is gone is to be closed first. */
  | { readonly kind: 'recovery' }
  | { readonly kind: 'command' }
  /** Notes that ask for no answer. */
  | { readonly kind: 'notes' }
  | { readonly kind: 'turn'; readonly because: 'message' | 'unfinished' | 'mail'; readonly isAsked: boolean }
  /** A child that nobody needed for a day. */
  | { readonly kind: 'end' }

const IDLE_CHILD_MS = 24 * 60 * 60 * 1000

export interface DueQuestion {
  readonly branch: BranchId
  readonly now: number
  /** Set when the person does not want to wait for the time that a deferral named. */
  readonly isImpatient: boolean
}

export function dueIn(reader: Reader, question: DueQuestion): Due {
  const branch = findBranch(reader, question.branch)
  if (branch === undefined || branch.state.kind === 'ended') return { kind: 'nothing' }
  if (branch.state.kind === 'running') return { kind: 'recovery' }
  const first = firstWaiting(reader, branch.id)
  if (first !== undefined && isCommand(first)) return { kind: 'command' }
  const { last } = branch.state
  const isDeferred = last?.outcome === 'deferred' && !question.isImpatient
  if (isDeferred && (last.retryAt ?? 0) > question.now) return { kind: 'later', at: last.retryAt ?? 0 }
  if (first !== undefined) return withInbox(reader, branch)
  if (last?.outcome === 'interrupted' || last?.outcome === 'deferred' || (last && question.isImpatient))
    return { kind: 'turn', because: 'unfinished', isAsked: branch.mode === 'main' || branch.mode === 'fork' }
  if (branch.mode !== 'child') return { kind: 'nothing' }
  if (hasNewMail(reader, branch)) return { kind: 'turn', because: 'mail', isAsked: false }
  if (last === null) return { kind: 'nothing' }
  const endsAt = reader.event(last.endedAt).at + IDLE_CHILD_MS
  return endsAt <= question.now ? { kind: 'end' } : { kind: 'later', at: endsAt }
}

function withInbox(reader: Reader, branch: Branch): Due {
  const entries = waiting(reader, branch.id)
  const command = entries.findIndex(isCommand)
  const front = command < 0 ? entries : entries.slice(0, command)
  if (!front.some(({ form }) => form === 'message')) return { kind: 'notes' }
  const isAsked = branch.mode === 'main' || front.some(({ source }) => source === 'person')
  return { kind: 'turn', because: 'message', isAsked }
}

/** Mail that came after the last turn began: what lay there before, that turn was told of. */
function hasNewMail(reader: Reader, branch: Branch): boolean {
  const newest = unreadMail(reader, branch.id).at(-1)
  if (newest === undefined || branch.state.kind !== 'idle') return false
  const { last } = branch.state
  const started = last === null ? undefined : reader.row(turnTable, [last.turn])
  return newest > ((started?.['position'] as number | undefined) ?? 0)
}
