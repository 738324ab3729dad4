import { oneLine, shorten } from '../../base/width.ts'
import { counted } from '../../base/words.ts'
import { getBranch } from '../../context/branch.ts'
import type { Act } from '../../context/decision.ts'
import { branchNames } from '../../context/naming.ts'
import type { EndReason } from '../../event/event.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { endSubtree } from '../step/end-subtree.ts'
import { mailAt, newestUnread, unreadMail } from '../state/inbox.ts'
import { say } from '../state/outbox.ts'
import { bindTo, boundTo, mainAbove } from '../state/person.ts'

export interface Leaver extends Act {
  /** The conversation that ends the fork. Others in it are told when they next speak, or now if they wait there. */
  readonly from: Address | undefined
}

export interface Leaving {
  readonly reason: Extract<EndReason, 'saved' | 'reported' | 'discarded' | 'timed-out'>
  /** The update for main. */
  readonly report?: string
  /** Said in the conversation when no command is there to be answered. */
  readonly words?: string
  /** The branch that the conversation returns to, if not the nearest one above. */
  readonly to?: BranchId
}

export interface Left {
  /** The fork and the branches that worked for it. */
  readonly ended: readonly BranchId[]
  /** ` You are talking to main now.`, left out if the conversation talks elsewhere; then the unread mail. */
  readonly now: string
}

/** Ends a fork and what works for it, tells main, and sends the conversation back, in one transaction (FORK4). */
export function leaveFork(writing: Writing, leaver: Leaver, leaving: Leaving): Left {
  const { branch, at, author, from } = leaver
  const { reason, report = '', words } = leaving
  const back = leaving.to ?? livingAbove(writing, branch)
  const unread = unreadWords(writing, branch)
  if (report !== '') reportFork(writing, leaver, report)
  const by = author.by === 'person' ? from : undefined
  const ended = endSubtree(writing, { branch, at, reason, author, by })
  if (from === undefined || back === undefined) return { ended, now: '' }
  const bound = boundTo(writing, from)
  const isThere = bound !== undefined && ended.includes(bound)
  if (isThere) bindTo(writing, from, { branch: back, at, author })
  const there = isThere ? ` You are talking to ${branchNames(writing)(back)} now.` : ''
  const now = `${there}${unread}`
  if (words !== undefined)
    say(writing, { branch: back, at, to: from, notice: 'fork-ended', text: `${words}${now}`, cause: null })
  return { ended, now }
}

const UNREAD_COLUMNS = 200

/** Nobody can read the mail of an ended branch: a child's last answer would be lost. */
function unreadWords(reader: Reader, branch: BranchId): string {
  const unread = unreadMail(reader, branch)
  const last = newestUnread(reader, branch)
  if (last === undefined) return ''
  const { from, text } = mailAt(reader, last)
  const count = counted(unread.length, 'unread message')
  const which = unread.length === 1 ? 'from' : 'the last from'
  const words = shorten(oneLine(text).trim(), UNREAD_COLUMNS)
  return ` ${count} in the fork, ${which} ${branchNames(reader)(from)}: "${words}"`
}

/** `fork k3f9ab (the travel plans)` */
export function forkName(reader: Reader, branch: BranchId): string {
  const { title } = getBranch(reader, branch)
  return `fork ${handleOf(branch)}${title === null ? '' : ` (${title})`}`
}

function reportFork(writing: Writing, { branch, at, author }: Leaver, text: string): void {
  const to = mainAbove(writing, branch)
  if (to === undefined) return
  const facts = { source: forkName(writing, branch), text, from: branch, author, key: null }
  writing.append({ kind: 'update-reported', branch: to, at, ...facts })
}

/** The nearest living branch above that people can talk to. A run is never one, even if people reply to it. */
export function livingAbove(reader: Reader, branch: BranchId): BranchId | undefined {
  for (let id = getBranch(reader, branch).parent; id !== null;) {
    const above = getBranch(reader, id)
    if (above.state.kind !== 'ended' && above.mode !== 'background') return id
    id = above.parent
  }
  return undefined
}
