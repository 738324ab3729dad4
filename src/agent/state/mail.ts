import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { mailboxTable, mailTable } from './tables.ts'

/** Positions of the mail that a branch has not read, oldest first. */
export function unreadMail(reader: Reader, branch: BranchId): Position[] {
  const from = (reader.row(mailboxTable, [branch])?.read_to ?? 0) + 1
  const stretch = { prefix: [branch], from, order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
  return reader.rows(mailTable, stretch).map(({ position }) => position)
}

export function mailAt(reader: Reader, position: Position): EventOf<'mail-sent'> {
  const event = reader.event(position)
  if (event.kind !== 'mail-sent') throw new TypeError(`event ${position} is no mail but a '${event.kind}'`)
  return event
}
