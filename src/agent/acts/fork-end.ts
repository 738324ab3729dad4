import { getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import type { Author, EndReason } from '../../event/event.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import type { Writing } from '../../log/log.ts'
import { addressOf } from '../inbox.ts'
import { bindingTable } from '../tables.ts'
import { mainAbove } from '../updates.ts'
import { livingFrom } from './kill-act.ts'

export interface Leaver {
  readonly branch: BranchId
  readonly at: number
  readonly author: Author
}

export interface Leaving {
  readonly reason: Extract<EndReason, 'saved' | 'reported' | 'discarded' | 'timed-out'>
  /** What main is to be told. */
  readonly report?: string
  /** Said in the conversation, where nobody's command is answered. */
  readonly words?: string
}

/**
 * Ends an interactive fork with all that works below it, tells main what it is to be told, and puts the conversation
 * that is in it back to the branch above: all in one transaction (FORK4). The branches that ended.
 */
export function leaveFork(
  writing: Writing,
  { branch, at, author }: Leaver,
  leaving: Leaving,
): readonly BranchId[] {
  const back = livingAbove(writing, branch)
  const to = addressOf(writing, branch)
  if (leaving.report !== undefined && leaving.report !== '')
    reportFork(writing, { branch, at, author }, leaving.report)
  const ended = livingFrom(writing, branch)
  for (const id of ended.toReversed()) {
    const reason = id === branch ? leaving.reason : 'killed'
    writing.append({ kind: 'branch-ended', branch: id, at, v: 1, reason, author })
  }
  if (to === undefined || back === undefined) return ended
  const isThere = isIn(writing, to, branch)
  if (isThere) writing.append({ kind: 'conversation-bound', branch: back, at, v: 1, ...to, author })
  if (leaving.words !== undefined) {
    const now = isThere ? ` You are talking to ${branchNames(writing)(back)} now.` : ''
    const intent = { to, form: 'notice', text: `${leaving.words}${now}`, turn: null } as const
    writing.append({ kind: 'delivery-intended', branch: back, at, v: 1, ...intent })
  }
  return ended
}

/** `fork k3f9ab (the travel plans)` */
export function forkName(reader: Reader, branch: BranchId): string {
  const { title } = getBranch(reader, branch)
  return `fork ${handleOf(branch)}${title === null ? '' : ` (${title})`}`
}

export function reportFork(writing: Writing, { branch, at, author }: Leaver, text: string): void {
  const to = mainAbove(writing, branch)
  if (to === undefined) return
  const facts = { source: forkName(writing, branch), text, from: branch, author, key: null }
  writing.append({ kind: 'update-reported', branch: to, at, v: 1, ...facts })
}

function isIn(reader: Reader, { channel, conversation }: Address, branch: BranchId): boolean {
  return reader.row(bindingTable, [channel, conversation])?.['branch'] === branch
}

/** The nearest branch above that people can talk to: a run that is replied to is none, whether it lives or not. */
export function livingAbove(reader: Reader, branch: BranchId): BranchId | undefined {
  for (let id = getBranch(reader, branch).parent; id !== null;) {
    const above = getBranch(reader, id)
    if (above.state.kind !== 'ended' && above.mode !== 'background') return id
    id = above.parent
  }
  return undefined
}
