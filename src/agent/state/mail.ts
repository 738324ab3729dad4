import { limits } from '../../base/limits.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { mailboxTable, mailTable } from './tables.ts'

/** Positions of the mail that a branch has not read, oldest first. */
export function unreadMail(reader: Reader, branch: BranchId): Position[] {
  const from = readTo(reader, branch) + 1
  const stretch = { prefix: [branch], from, order: 'up', limit: limits.waitingMax } as const
  return reader.rows(mailTable, stretch).map(({ position }) => position)
}

export function newestUnread(reader: Reader, branch: BranchId): Position | undefined {
  const [newest] = reader.rows(mailTable, { prefix: [branch], order: 'down', limit: 1 })
  return newest !== undefined && newest.position > readTo(reader, branch) ? newest.position : undefined
}

export function isUnread(reader: Reader, branch: BranchId, position: Position): boolean {
  return position > readTo(reader, branch) && reader.row(mailTable, [branch, position]) !== undefined
}

function readTo(reader: Reader, branch: BranchId): number {
  return reader.row(mailboxTable, [branch])?.read_to ?? 0
}

export function mailAt(reader: Reader, position: Position): EventOf<'mail-sent'> {
  const event = reader.event(position)
  if (event.kind !== 'mail-sent') throw new TypeError(`event ${position} is no mail but a '${event.kind}'`)
  return event
}
