import { isOwners } from '../agent/state/person.ts'
import { turnNumber } from '../agent/state/turn-number.ts'
import { isoAt } from '../base/time-text.ts'
import { beginningOf } from '../base/words.ts'
import { getBranch } from '../context/branch.ts'
import { branchNames } from '../context/naming.ts'
import { messageTable } from '../context/tables.ts'
import type { EventOf } from '../event/event.ts'
import { handleOf, type BranchId, type Position } from '../event/id.ts'
import { OWNER, UNNAMED } from '../event/speaker.ts'
import type { Reader } from '../event/table.ts'
import { documentAt } from '../recall/contract/document.ts'
import { fateOf, labelOf } from '../recall/scope/fate.ts'
import { versionsOf } from '../recall/scope/standing.ts'
import { LookError } from './named.ts'
import { fitting, newestPage, type Page } from './page.ts'

/** The messages of a branch, the newest last. Programs rely on the names. */
export function messagesView(
  reader: Reader,
  { branch, before, limit }: Page & { readonly branch: BranchId },
) {
  const { rows, next } = newestPage(reader, messageTable, { prefix: [branch], before, limit })
  const { entries, isWhole, last } = fitting(rows, ({ position }) => {
    const { at, turn, message } = reader.event(position) as EventOf<'message-added'>
    // Why no context shows it any more: rewound, cleared, discarded.
    const label = labelOf(fateOf(reader, { branch, position })) ?? null
    return { position, at: isoAt(at), turn, label, message }
  })
  return { messages: entries.toReversed(), next: isWhole ? next : (last?.position ?? null) }
}

/** Of longer texts only the beginning is shown. */
const TEXT_MAX = 4_000

/** Messages on both sides of a position in the owner's branches, in order; without one, the newest of `branch`. */
export function aroundView(
  reader: Reader,
  look: { readonly position?: number | undefined; readonly branch: BranchId; readonly limit: number },
) {
  const { position = reader.end, limit } = look
  const branch = look.position === undefined ? look.branch : branchAt(reader, position)
  const prefix = [branch] as const
  const older = reader.rows(messageTable, { prefix, to: position, order: 'down', limit: limit + 1 })
  const newer = reader.rows(messageTable, { prefix, from: position + 1, order: 'up', limit: limit + 1 })
  const shown = [...older.slice(0, limit).toReversed(), ...newer.slice(0, limit)]
  const versions = versionsOf(reader)
  return {
    branch,
    handle: handleOf(branch),
    branchName: branchNames(reader)(branch),
    branchTitle: getBranch(reader, branch).title,
    messages: shown.map(({ position: at }) => {
      const { turn } = reader.event(at) as EventOf<'message-added'>
      const { kind, speaker, text, at: saidAt } = documentAt(reader, { position: at, part: 0 })
      return {
        position: at,
        at: isoAt(saidAt),
        /** Its number in the branch. */
        turn: turn === null ? null : (turnNumber(reader, turn) ?? null),
        kind,
        speaker,
        isOwn: (kind === 'user' || kind === 'note') && (speaker === OWNER || speaker === UNNAMED),
        label: labelOf(fateOf(reader, { branch, position: at }, versions)) ?? null,
        text: beginningOf(text, TEXT_MAX),
        isCut: text.length > TEXT_MAX,
      }
    }),
    isMoreBefore: older.length > limit,
    isMoreAfter: newer.length > limit,
  }
}

/** Messages of another person are not shown (PEOPLE2). */
function branchAt(reader: Reader, position: number): BranchId {
  const branch = position < 1 || position > reader.end ? undefined : reader.event(position as Position).branch
  if (branch !== undefined && isOwners(reader, branch)) return branch
  throw new LookError('missing', `There is nothing of yours at position ${position}`)
}
