import { getBranch } from '../../context/branch.ts'
import { isRefusal } from '../../context/decision.ts'
import { flatten } from '../../context/list.ts'
import { messagesShown } from '../../context/part.ts'
import { save, saveTarget } from '../../context/save.ts'
import { counted } from '../../base/words.ts'
import { branchNames } from '../../context/naming.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Item } from '../../event/item.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { done, refusal, type Actor, type Said } from '../act.ts'
import { peekTable } from '../tables.ts'
import { pendingUpdates } from '../updates.ts'
import { leaveFork } from './fork-end.ts'
import { sayRefusal } from './refusals.ts'

/** The branch that takes a fork's messages, if a turn runs there: a save waits for its end. */
export function saveWaitsFor(reader: Reader, branch: BranchId): BranchId | undefined {
  const target = saveTarget(reader, getBranch(reader, branch))?.target
  return target?.state.kind === 'running' ? target.id : undefined
}

/** Appends what the fork says of its own to main's list, settles the updates it shows, and ends the fork. */
export function actSave(writing: Writing, actor: Actor): Said {
  const { branch, at, author } = actor
  if (getBranch(writing, branch).mode !== 'fork') return refusal(NO_FORK)
  const decided = save(writing, { branch, at, author })
  if (isRefusal(decided)) return decided.refused === 'nothing-to-do' ? refusal(NOTHING) : sayRefusal(decided)
  const { draft } = decided
  const own = draft.items.filter((item) => item.at === writing.end + 1)
  const settles = settledBy(writing, { items: own, target: draft.branch })
  writing.append(settles.length === 0 ? draft : { ...draft, settles })
  const ended = leaveFork(writing, actor, { reason: 'saved' })
  const name = branchNames(writing)(draft.branch)
  const what = counted(messagesShown(writing, own), 'message')
  const told =
    settles.length === 0 ? '' : ` ${counted(settles.length, 'update')} that it shows will not be told again.`
  return done(
    `Saved: ${what} of this fork ${name === 'main' ? 'are part of main' : `belong to ${name}`} now.${told} /undo there takes them out again.\nYou are talking to ${name} now.`,
    { abort: ended, wake: [draft.branch] },
  )
}

const NO_FORK = 'This is no fork, so there is nothing to save. /fork opens one to talk in.'
const NOTHING = 'Nothing to save: this fork has nothing that main lacks. /exit leaves it.'

/** What of the updates that these messages show is still pending in the target. */
function settledBy(
  reader: Reader,
  { items, target }: { items: readonly Item[]; target: BranchId },
): Position[] {
  const pending = new Set(pendingUpdates(reader, target))
  if (pending.size === 0) return []
  const shown = items
    .flatMap((item) => flatten(reader, item))
    .flatMap(({ src, from, to }) => {
      const stretch = { prefix: [src], from, to, order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
      return reader.rows(peekTable, stretch).flatMap((row) => shownAt(reader, row['position'] as Position))
    })
  return [...new Set(shown)].filter((position) => pending.has(position)).toSorted((one, other) => one - other)
}

function shownAt(reader: Reader, position: Position): readonly Position[] {
  const { updates } = reader.event(position) as EventOf<'message-added'>
  return updates?.shown ?? []
}
