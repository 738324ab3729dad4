import { findBranch, getBranch } from '../../context/branch.ts'
import type { DraftOf } from '../../event/event.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Address, Choice, PersonSource } from '../../event/work.ts'
import { refusal, type Actor, type Said } from '../contract/act.ts'
import { isCommand, waiting } from '../state/inbox.ts'
import { bindTo, boundTo } from '../state/person.ts'
import { forkTable, openForkTable } from '../state/tables.ts'
import { actFork, type Forked, type ForkWish } from './fork-act.ts'
import { forkName } from './fork-end.ts'

/** The interactive fork that a conversation has open, even if it talks elsewhere now. */
export function openFork(reader: Reader, { channel, conversation }: Address): BranchId | undefined {
  const id = reader.row(openForkTable, [channel, conversation])?.branch
  if (id === undefined) return undefined
  return findBranch(reader, id)?.state.kind === 'ended' ? undefined : id
}

/** The refusal if the conversation already has a fork open: only one at a time (FORK4). */
export function secondFork(reader: Reader, source: Address, here: BranchId): Said | undefined {
  const isIn = getBranch(reader, here).mode === 'fork'
  const open = openFork(reader, source) ?? (isIn ? here : undefined)
  if (open === undefined) return undefined
  const ends = '/save adds it to main, /report tells main about it, /exit drops it'
  if (open === here)
    return refusal(
      `You are already in a fork, and only one can be open at a time. End it first: ${ends}. /fork -- GOAL starts a child from here.`,
    )
  return refusal(
    `The ${forkName(reader, open)} is open, and only one can be open at a time. /switch ${handleOf(open)} goes back to it; there ${ends}.`,
  )
}

/** Says that there is no fork to save or report here, and where the open one is. */
export function noForkHere(reader: Reader, source: Address): Said {
  const open = openFork(reader, source)
  if (open === undefined) return refusal('You are not in a fork. /fork opens one.')
  return refusal(
    `You are not in a fork. /switch ${handleOf(open)} goes back to the ${forkName(reader, open)}.`,
  )
}

export interface Entering extends Pick<DraftOf<'fork-entered'>, 'how' | 'idleMs'> {
  readonly source: PersonSource
  readonly replied?: BranchId
  /** The branch that the fork copies. */
  readonly of: BranchId
  readonly topic: string | null
  readonly mark?: string
  /** Where its view of `of` ends, if not at the head. */
  readonly step?: ForkWish['step']
}

/** Opens a fork and moves the conversation into it. The caller has checked that a fork may be opened. */
export function actEnter(writing: Writing, actor: Actor, entering: Entering): Forked {
  const { source, how, idleMs, of, topic, mark = null, step } = entering
  const forker = { ...actor, branch: of }
  const forked = actFork(writing, forker, {
    inherit: mark === null ? { take: 'everything' } : { take: 'after-mark', name: mark },
    mark,
    goal: topic,
    mode: 'fork',
    by: { kind: 'person', source },
    ...(step !== undefined && { step }),
  })
  if (forked.child === undefined) return forked
  const { at, author } = actor
  const entered = { how, idleMs, replied: entering.replied ?? null }
  writing.append({ kind: 'fork-entered', branch: forked.child, at, ...entered })
  bindTo(writing, source, { branch: forked.child, at, author })
  return forked
}

/** Channels show these as buttons. */
export const FORK_CHOICES: readonly Choice[] = [
  { label: 'Save', command: '/save' },
  { label: 'Report', command: '/report' },
  { label: 'Exit', command: '/exit' },
]

/** Buttons under the answer of an agent that was asked to wrap up; none if it ends the fork itself. */
export function wrapUpChoices(reader: Reader, branch: BranchId, to: Address): readonly Choice[] {
  const isAsked = (reader.row(forkTable, [branch])?.asked ?? 0) !== 0
  if (!isAsked || waiting(reader, branch).some(isCommand)) return []
  // If the person talks elsewhere now, the same commands would end something else.
  return boundTo(reader, to) === branch
    ? FORK_CHOICES
    : [{ label: 'Go back', command: `/switch ${handleOf(branch)}` }]
}

/** How to end a fork that was just entered: in full for the first fork of a log, in one short sentence after that. */
export function howItEnds(reader: Reader): string {
  const forks = reader.rows(forkTable, { prefix: [], order: 'up', limit: 2 })
  return forks.length > 1 ? '/save, /report or /exit ends it.' : HOW_IT_ENDS
}

export const HOW_IT_ENDS =
  '/save, /report or /exit ends it. Main does not see what is said here: /save adds it to main, /report tells main about it, /exit drops it. /switch main goes back and leaves it open.'
