import { getBranch, type Branch } from '../context/branch.ts'
import { isRefusal } from '../context/decision.ts'
import { headOf } from '../context/message-index.ts'
import { branchNames } from '../context/naming.ts'
import { startTurn } from '../context/step.ts'
import { timeLine } from '../context/wording.ts'
import { makeTurnId, type BranchId, type Position, type TurnId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Random } from '../base/random.ts'
import type { Writing } from '../log/log.ts'
import { dueIn } from './due.ts'
import { mailAt, unreadMail } from './mail.ts'
import { add, takeMessages } from './taking.ts'

export interface Begun {
  readonly branch: BranchId
  readonly turn: TurnId
  readonly mode: Branch['mode']
  readonly tail: { readonly text: string; readonly after: Position } | null
  /** It goes on with a work of which the person was told that it is deferred. */
  readonly wasDeferred: boolean
}

export interface Beginning {
  readonly branch: BranchId
  readonly at: number
  readonly random: Random
  readonly zone: string
  readonly isImpatient: boolean
}

/** Starts the branch's next turn with all that its inbox has; undefined when there is nothing to answer any more. */
export function beginTurn(writing: Writing, act: Beginning): Begun | undefined {
  const due = dueIn(writing, { branch: act.branch, now: act.at, isImpatient: act.isImpatient })
  if (due.kind !== 'turn') return undefined
  const { state, mode } = getBranch(writing, act.branch)
  const last = state.kind === 'idle' ? state.last : null
  const isUnfinished = last !== null && (last.outcome === 'interrupted' || last.outcome === 'deferred')
  const continues = isUnfinished || due.because === 'unfinished' ? (last?.turn ?? null) : null
  const turn = makeTurnId(act.at, act.random)
  const started = startTurn(writing, { branch: act.branch, at: act.at, turn, continues })
  if (isRefusal(started)) return undefined
  writing.append(started.draft)
  takeMessages(writing, { ...act, from: 'anybody' })
  if (due.because === 'mail') addMailWake(writing, act)
  const tail = tailFor(writing, act.branch)
  return { branch: act.branch, turn, mode, tail, wasDeferred: last?.outcome === 'deferred' }
}

function addMailWake(writing: Writing, { branch, at, zone }: Beginning): void {
  const head = ['[system]', '(written by the host: mail woke you)', timeLine(at, zone)].join('\n')
  const text = `You have ${mailCount(writing, branch)}. Read it with the slash command check-mail.`
  add(writing, { branch, at, message: { role: 'user', text, head } })
}

/** What only this turn shows. It stays behind the message that opened the turn, so later steps keep the same prefix. */
function tailFor(reader: Reader, branch: BranchId): Begun['tail'] {
  const after = headOf(reader, branch)
  if (after === null || unreadMail(reader, branch).length === 0) return null
  return { text: `(You have ${mailCount(reader, branch)}. The slash command check-mail reads it.)`, after }
}

/** `2 unread messages, from k3f9ab and main` */
export function mailCount(reader: Reader, branch: BranchId): string {
  const unread = unreadMail(reader, branch)
  const nameOf = branchNames(reader)
  const senders = new Set(unread.map((position) => nameOf(mailAt(reader, position).from)))
  const count = unread.length === 1 ? '1 unread message' : `${unread.length} unread messages`
  return `${count}, from ${[...senders].join(' and ')}`
}
