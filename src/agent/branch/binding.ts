import { livingAbove } from './fork-end.ts'
import { waiting } from '../state/inbox.ts'
import { say } from '../state/outbox.ts'
import { getBranch, newBranchId } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import { createBranch } from '../../context/fork.ts'
import { handleOf, type BranchId, type IdSeed } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { bindTo, boundTo, mainOf, oldestMain, personIn } from '../state/person.ts'
import { OWNER, personOf } from '../../event/speaker.ts'

/** The branch that a conversation talks to: the one it was bound to, or the nearest living one above that. */
export function boundBranch(reader: Reader, address: Address): BranchId | undefined {
  const bound = boundTo(reader, address)
  if (bound === undefined) return undefined
  return getBranch(reader, bound).state.kind === 'ended' ? livingAbove(reader, bound) : bound
}

/**
 * As `boundBranch`, but a new conversation gets the main session, which is created if missing. If the branch has ended
 * meanwhile, the conversation is told: otherwise a person would go on talking to another branch without knowing.
 */
export function branchFor(writing: Writing, address: Address, contact: IdSeed): BranchId {
  const { at } = contact
  const bound = boundTo(writing, address)
  const branch = ownBranch(writing, address) ?? newMain(writing, contact)
  if (branch === bound) return branch
  const author = { by: 'policy', name: bound === undefined ? 'first-contact' : 'branch-ended' } as const
  bindTo(writing, address, { branch, at, author })
  // Somebody else talked there before.
  if (bound === undefined || personIn(writing, bound) !== personOf(address)) return branch
  const text = endedWords(writing, { bound, branch })
  say(writing, { branch, at, to: address, notice: 'fork-ended', text, cause: null })
  return branch
}

/** Never a branch of somebody else, whatever the conversation was bound to (PEOPLE1). */
function ownBranch(reader: Reader, address: Address): BranchId | undefined {
  const person = personOf(address)
  const bound = boundBranch(reader, address)
  if (bound !== undefined && personIn(reader, bound) === person) return bound
  return person === OWNER ? oldestMain(reader) : mainOf(reader, person)
}

function endedWords(reader: Reader, { bound, branch }: { bound: BranchId; branch: BranchId }): string {
  const { state } = getBranch(reader, bound)
  const why = state.kind === 'ended' ? ` (${state.reason})` : ''
  const unread = waiting(reader, bound).filter(({ source }) => source === 'person').length
  const lost = unread === 0 ? '' : ` What you wrote there last was not read (${unread}).`
  return `${handleOf(bound)} has ended${why}.${lost} You are talking to ${branchNames(reader)(branch)} now.`
}

/** The main session of a person, which is created if missing. No conversation is bound to it. */
export function mainFor(writing: Writing, person: string, contact: IdSeed): BranchId {
  return mainOf(writing, person) ?? newMain(writing, contact)
}

/** A main session of the owner, until it is given to somebody else. */
export function newMain(writing: Writing, contact: IdSeed): BranchId {
  const { at } = contact
  const child = newBranchId(writing, contact)
  const author = { by: 'policy', name: 'first-contact' } as const
  writing.append(createBranch({ child, mode: 'main', title: null, at, author }).draft)
  return child
}
