import { getBranch, lineOf } from '../../context/branch.ts'
import { livingFrom } from '../../context/living.ts'
import { branchNames } from '../../context/naming.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { type Actor, type Said, ok, refusal } from '../contract/act.ts'
import { endSubtree, peopleWaiting, workingFrom } from '../step/end-subtree.ts'
import { branchMeant, isSaid } from './named.ts'

/** Ends a branch and what works for it, at once. Forks that a person opened below it go on. */
export function actKill(writing: Writing, actor: Actor, word: string): Said {
  const target = branchMeant(writing, word, actor)
  if (isSaid(target)) return target
  const branch = getBranch(writing, target)
  const name = branchNames(writing)(target)
  const { author, at } = actor
  const isModel = author.by === 'model'
  if (branch.mode === 'main')
    return refusal(`The main session cannot be killed.${isModel ? '' : ' /clear empties its context.'}`)
  if (branch.state.kind === 'ended') return refusal(`${name} has ended already (${branch.state.reason}).`)
  const refused = isModel ? notForModels(writing, target, actor.branch) : undefined
  if (refused !== undefined) return refusal(refused)
  const ended = endSubtree(writing, { branch: target, at, author, reason: 'killed' })
  const text = `Killed ${handleOf(target)}${othersBelow(ended)}.${leftBelow(writing, target)}`
  return ok(text, { abort: ended })
}

/** ` and 2 branches below it`, or nothing. */
export function othersBelow(ended: readonly BranchId[]): string {
  const others = ended.length - 1
  return others < 1 ? '' : ` and ${others === 1 ? '1 branch' : `${others} branches`} below it`
}

/** A model may not end a branch that a person talks in or waits for. */
function notForModels(reader: Reader, target: BranchId, above: BranchId): string | undefined {
  const nameOf = branchNames(reader)
  const name = nameOf(target)
  if (!isBelow(reader, target, above)) return `${name} is not a child of yours, so you cannot kill it.`
  if (getBranch(reader, target).mode === 'fork')
    return `${name} is a fork that the person talks in, so only the person ends it.`
  const awaited = workingFrom(reader, target).find((id) => peopleWaiting(reader, id).length > 0)
  if (awaited === undefined) return undefined
  const where = awaited === target ? 'there' : `in ${nameOf(awaited)} below it`
  return `Not killed: the person waits for an answer ${where}. ${name} can be killed once it is given.`
}

/** The forks that go on: only the person ends those. */
function leftBelow(reader: Reader, target: BranchId): string {
  const forks = livingFrom(reader, target).filter((id) => getBranch(reader, id).mode === 'fork')
  if (forks.length === 0) return ''
  const [names, goOn] = [forks.map(handleOf).join(', '), forks.length === 1 ? 'goes on' : 'go on']
  return ` The ${forks.length === 1 ? 'fork' : 'forks'} ${names} below it ${goOn}.`
}

function isBelow(reader: Reader, branch: BranchId, above: BranchId): boolean {
  return lineOf(reader, getBranch(reader, branch))
    .slice(1)
    .some(({ id }) => id === above)
}
