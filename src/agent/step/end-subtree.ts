import { getBranch, type Branch } from '../../context/branch.ts'
import type { Act } from '../../context/decision.ts'
import { livingChildren } from '../../context/living.ts'
import { branchNames } from '../../context/naming.ts'
import type { EndReason, EventOf } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { askedIn } from '../state/asker.ts'
import { admittedAt, firstWaiting, isCommand, waiting } from '../state/inbox.ts'
import { addressKey, say } from '../state/outbox.ts'
import { reportOwed } from './run-report.ts'
import { placeOf } from '../state/person.ts'

export interface SubtreeEnd extends Act {
  /** The reason of the branch itself: branches that work for it are killed. */
  readonly reason: EndReason
  /** The person who ends it already knows that nothing there will be answered. */
  readonly by?: Address | undefined
  /** The branch itself goes on later; branches that work for it end. */
  readonly rests?: EventOf<'run-rested'>['reason']
}

/** Ends a branch and what works for it, parents first. Runs report what they owe; people who wait are told. */
export function endSubtree(writing: Writing, end: SubtreeEnd): readonly BranchId[] {
  const { branch, at, author } = end
  const ended = workingFrom(writing, branch)
  for (const id of ended.toReversed()) {
    const reason = id === branch ? end.reason : 'killed'
    reportOwed(writing, { branch: id, at }, reason)
    tellUnanswered(writing, id, end)
    if (id === branch && end.rests !== undefined)
      writing.append({ kind: 'run-rested', branch, at, reason: end.rests })
    else writing.append({ kind: 'branch-ended', branch: id, at, reason, author })
  }
  return end.rests === undefined ? ended : ended.filter((id) => id !== branch)
}

/** The branch and everything that works for it, parents first. A fork that a person opened below goes on. */
export function workingFrom(reader: Reader, branch: BranchId): BranchId[] {
  const below = livingChildren(reader, branch)
    .filter((child) => getBranch(reader, child).mode !== 'fork')
    .flatMap((child) => workingFrom(reader, child))
  return getBranch(reader, branch).state.kind === 'ended' ? below : [branch, ...below]
}

/** People who wait for an answer of this branch: it works on one, will continue one, or has not read the question. */
export function peopleWaiting(reader: Reader, id: BranchId): Address[] {
  const branch = getBranch(reader, id)
  const speaker = isAtWork(branch) ? askedIn(reader, branch) : undefined
  const first = firstWaiting(reader, id)
  // Messages after a command that ends the branch move to where the person goes next.
  const unread = first === undefined || isCommand(first) ? [] : waiting(reader, id)
  const people = unread.flatMap(({ position, form }) => {
    const { source } = admittedAt(reader, position)
    return (form === 'message' ? placeOf(source) : undefined) ?? []
  })
  const all = speaker === undefined ? people : [speaker, ...people]
  return [...new Map(all.map((address) => [addressKey(address), address])).values()]
}

/** Whether it has a turn, or one that continues by itself. */
export function isAtWork({ state }: Branch): boolean {
  if (state.kind !== 'idle') return state.kind === 'running'
  return state.last?.outcome === 'interrupted' || state.last?.outcome === 'deferred'
}

function tellUnanswered(writing: Writing, id: BranchId, { branch, at, reason, by }: SubtreeEnd): void {
  const people = peopleWaiting(writing, id).filter(
    (to) => by === undefined || addressKey(to) !== addressKey(by),
  )
  if (people.length === 0) return
  const nameOf = branchNames(writing)
  const why =
    id === branch ? `it ${BECAUSE[reason]}` : `it ended with ${nameOf(branch)}, which ${BECAUSE[reason]}`
  const text = `What you wrote last in ${nameOf(id)} was not answered: ${why}. Say it again to have it answered.`
  for (const to of people) say(writing, { branch: id, at, to, notice: 'unanswered', text, cause: null })
}

const BECAUSE: Readonly<Record<EndReason, string>> = {
  finished: 'has finished',
  failed: 'has failed',
  'timed-out': 'had no time left',
  killed: 'was killed',
  saved: 'was saved and has ended',
  reported: 'was reported and has ended',
  discarded: 'was left and has ended',
}
