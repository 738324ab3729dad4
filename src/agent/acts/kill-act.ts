import { getBranch, lineOf } from '../../context/branch.ts'
import { livingChildren } from '../../context/living.ts'
import { branchNames } from '../../context/naming.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { done, refusal, type Actor, type Said } from '../act.ts'
import { reportOwed } from '../run-end.ts'
import { branchMeant, isSaid } from './named.ts'

/** Ends a branch and all below it. What they do right now is stopped, and they write nothing more. */
export function actKill(writing: Writing, actor: Actor, word: string): Said {
  const target = branchMeant(writing, word)
  if (isSaid(target)) return target
  const branch = getBranch(writing, target)
  const name = branchNames(writing)(target)
  if (branch.mode === 'main') return refusal('The main session cannot be killed. /clear empties its context.')
  if (branch.state.kind === 'ended') return refusal(`${name} has ended already (${branch.state.reason}).`)
  if (actor.author.by === 'model' && !isBelow(writing, target, actor.branch))
    return refusal(`${name} is not a child of yours, so you cannot kill it.`)
  const ended = livingFrom(writing, target)
  const { author, at } = actor
  for (const id of ended.toReversed()) {
    reportOwed(writing, { branch: id, at, reason: 'killed' })
    writing.append({ kind: 'branch-ended', branch: id, at, v: 1, reason: 'killed', author })
  }
  return done(`Killed ${handleOf(target)}${othersBelow(ended)}.`, { abort: ended })
}

/** ` and 2 branches below it`, or nothing. */
export function othersBelow(ended: readonly BranchId[]): string {
  const others = ended.length - 1
  return others < 1 ? '' : ` and ${others === 1 ? '1 branch' : `${others} branches`} below it`
}

function isBelow(reader: Reader, branch: BranchId, above: BranchId): boolean {
  return lineOf(reader, getBranch(reader, branch))
    .slice(1)
    .some(({ id }) => id === above)
}

/** The branch and everything below it that has not ended, parents first. */
export function livingFrom(reader: Reader, branch: BranchId): BranchId[] {
  const below = livingChildren(reader, branch).flatMap((child) => livingFrom(reader, child))
  return getBranch(reader, branch).state.kind === 'ended' ? below : [branch, ...below]
}
