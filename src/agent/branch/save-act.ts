import { getBranch } from '../../context/branch.ts'
import { isRefusal } from '../../context/decision.ts'
import { flatten } from '../../context/list.ts'
import { messagesShown } from '../../context/part.ts'
import { save, saveTarget } from '../../context/save.ts'
import { counted } from '../../base/words.ts'
import { branchNames } from '../../context/naming.ts'
import type { EventOf } from '../../event/event.ts'
import { handleOf, type BranchId, type Position } from '../../event/id.ts'
import type { Items } from '../../event/item.ts'
import { allRows, type Reader, type Writing } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { type Actor, type Said, ok, refusal } from '../contract/act.ts'
import { isAtWork } from '../step/end-subtree.ts'
import { peekTable, updateTable } from '../state/tables.ts'
import { pendingUpdates } from '../state/updates.ts'
import { noForkHere } from './enter-act.ts'
import { leaveFork } from './fork-end.ts'
import { sayRefusal } from './refusals.ts'

/** The branch that a save waits for: otherwise its messages would come between a question and its answer there. */
export function saveWaitsFor(reader: Reader, branch: BranchId): BranchId | undefined {
  const source = getBranch(reader, branch)
  if (source.mode !== 'fork' || source.state.kind === 'ended') return undefined
  const target = saveTarget(reader, source)?.target
  if (target === undefined) return undefined
  return isAtWork(target) ? target.id : undefined
}

/** Appends the fork's own messages to main's list, settles the updates they show, and ends the fork. */
export function actSave(writing: Writing, actor: Actor, from: Address): Said {
  const { branch, at, author } = actor
  if (getBranch(writing, branch).mode !== 'fork') return noForkHere(writing, from)
  const decided = save(writing, { branch, at, author })
  if (isRefusal(decided)) return decided.refused === 'nothing-to-do' ? refusal(NOTHING) : sayRefusal(decided)
  const { draft } = decided
  const own = draft.items.filter((item) => item.at === writing.end + 1)
  const settles = settledBy(writing, { items: own, target: draft.branch })
  writing.append(settles.length === 0 ? draft : { ...draft, settles })
  const leaving = { reason: 'saved', to: draft.branch } as const
  const { ended, now } = leaveFork(writing, { ...actor, from }, leaving)
  const name = branchNames(writing)(draft.branch)
  const said = savedWords({ name, messages: whoseMessages(writing, own, branch), updates: settles.length })
  return ok(`${said}${now}`, { abort: ended, wake: [draft.branch] })
}

function savedWords({ name, messages, updates }: Saved): string {
  const told =
    updates === 0
      ? ''
      : ` ${counted(updates, 'update that it shows is', 'updates that it shows are')} not repeated.`
  return `Saved: ${messages} part of ${name} now.${told} /undo in ${name} takes this back.`
}

interface Saved {
  /** The name of the branch that took them. */
  readonly name: string
  /** `2 messages of this fork are` */
  readonly messages: string
  readonly updates: number
}

/** A fork of a child or a run brings its messages too: `2 messages of this fork and 3 of k3f9ab are` */
function whoseMessages(reader: Reader, items: Items, fork: BranchId): string {
  const groups = [...Map.groupBy(items, ({ src }) => src)]
    .map(([src, own]) => ({ src, messages: messagesShown(reader, own) }))
    .filter(({ messages }) => messages > 0)
    .toSorted((one, other) => Number(other.src === fork) - Number(one.src === fork))
  const [first = { src: fork, messages: 0 }, ...rest] = groups
  const nameOf = (src: BranchId): string => (src === fork ? 'this fork' : handleOf(src))
  const all = [
    `${counted(first.messages, 'message')} of ${nameOf(first.src)}`,
    ...rest.map(({ src, messages }) => `${messages} of ${nameOf(src)}`),
  ]
  const isOne = first.messages === 1 && rest.length === 0
  return `${all.join(' and ')} ${isOne ? 'is' : 'are'}`
}

const NOTHING = 'Nothing to save: this fork has nothing that main lacks. /exit leaves it.'

/** The updates shown in these messages that are still pending in the target. */
function settledBy(reader: Reader, { items, target }: { items: Items; target: BranchId }): Position[] {
  if (pendingUpdates(reader, target).length === 0) return []
  const shown = items
    .flatMap((item) => flatten(reader, item))
    .flatMap(({ src, from, to }) => {
      const peeks = [...allRows(reader, peekTable, { prefix: [src], from, to })]
      return peeks.flatMap(({ position }) => shownAt(reader, position))
    })
  const isPending = (position: Position): boolean =>
    reader.row(updateTable, [target, position])?.settled === null
  return [...new Set(shown)].filter(isPending).toSorted((one, other) => one - other)
}

function shownAt(reader: Reader, position: Position): readonly Position[] {
  const { updates } = reader.event(position) as EventOf<'message-added'>
  return updates?.shown ?? []
}
