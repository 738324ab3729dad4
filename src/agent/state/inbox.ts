import { limits } from '../../base/limits.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader, RowOf } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { inboundKeyTable, inboundTable, inboxTable, mailboxTable, mailTable } from './tables.ts'

export type Admitted = EventOf<'inbound-admitted'>
export type Form = Admitted['form']

export type Waiting = RowOf<typeof inboundTable> & { readonly form: Form }

/** The branch's waiting messages, oldest first, without those that the person deleted. */
export function waiting(
  reader: Reader,
  branch: BranchId,
  limit: number = limits.waitingMax,
): readonly Waiting[] {
  const from = takenTo(reader, branch) + 1
  const rows = reader.rows(inboundTable, { prefix: [branch], from, order: 'up', limit })
  const left = rows.filter(isKept)
  if (left.length === rows.length || limit === limits.waitingMax) return left
  return waiting(reader, branch).slice(0, limit)
}

function isKept(row: RowOf<typeof inboundTable>): row is Waiting {
  return row.form !== 'dropped'
}

/** Those up to the first one that is held back until later. */
export function ready(reader: Reader, branch: BranchId, now: number): readonly Waiting[] {
  const entries = waiting(reader, branch)
  const held = entries.findIndex((entry) => isHeldBack(entry, now))
  return held < 0 ? entries : entries.slice(0, held)
}

export function isHeldBack({ not_before }: Waiting, now: number): boolean {
  return not_before !== null && not_before > now
}

export function firstWaiting(reader: Reader, branch: BranchId): Waiting | undefined {
  return waiting(reader, branch, 1)[0]
}

export function isCommand({ form }: Pick<Waiting, 'form'>): boolean {
  return form === 'command' || form === 'step-command'
}

export function isWaiting(reader: Reader, branch: BranchId, position: Position): boolean {
  if (position <= takenTo(reader, branch)) return false
  return reader.row(inboundTable, [branch, position])?.form !== 'dropped'
}

/** As the person last left it. */
export function admittedAt(reader: Reader, position: Position): Admitted {
  const event = reader.event(position)
  if (event.kind !== 'inbound-admitted')
    throw new TypeError(`event ${position} is nothing that was admitted but a '${event.kind}'`)
  const edited = reader.row(inboundTable, [event.branch, position])?.edited ?? null
  return edited === null ? event : { ...event, text: editAt(reader, edited).text }
}

function editAt(reader: Reader, position: Position): EventOf<'inbound-edited'> {
  return reader.event(position) as EventOf<'inbound-edited'>
}

/** The earlier admission of the same platform message. */
export function admittedBefore(reader: Reader, { channel, conversation }: Address, key: string | null) {
  return key === null ? undefined : reader.row(inboundKeyTable, [channel, conversation, key])?.position
}

/** Which of a message's ids were admitted before: its own, or those of an album's other messages. */
export function knownIds(
  reader: Reader,
  message: Address & { readonly messageId: string | null; readonly parts?: readonly string[] },
): string[] {
  const { messageId, parts = [] } = message
  const ids = messageId === null ? [] : [messageId, ...parts]
  return ids.filter((id) => admittedBefore(reader, message, id) !== undefined)
}

function takenTo(reader: Reader, branch: BranchId): number {
  return reader.row(inboxTable, [branch])?.taken_to ?? 0
}

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
