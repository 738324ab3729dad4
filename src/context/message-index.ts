import { assert } from '../base/assert.ts'
import type { EventOf } from '../event/event.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Range } from '../event/item.ts'
import { allRows, type Reader, type RowOf } from '../event/table.ts'
import { messageTable } from './tables.ts'

export type MessageRow = RowOf<typeof messageTable>

/** Messages per page when reading back: a step is rarely longer. */
const PAGE = 16

/** For positions that must be messages, such as the ends of a range. */
export function messageAt(reader: Reader, branch: BranchId, position: Position): MessageRow {
  const row = reader.row(messageTable, [branch, position])
  assert(row !== undefined, `there is no message of ${branch} at ${position}`)
  return row
}

export function messageAtOrBefore(reader: Reader, branch: BranchId, position: number) {
  const newest = lastMessage(reader, branch)
  if (newest === undefined || newest.position <= position) return newest
  const [row] = reader.rows(messageTable, { prefix: [branch], to: position, order: 'down', limit: 1 })
  return row
}

export function messageAtOrAfter(reader: Reader, branch: BranchId, position: number): MessageRow | undefined {
  const newest = lastMessage(reader, branch)
  if (newest === undefined || newest.position < position) return undefined
  const [row] = reader.rows(messageTable, { prefix: [branch], from: position, order: 'up', limit: 1 })
  return row
}

/** Read all the time, so logs keep it cached; many searches end here. */
export function lastMessage(reader: Reader, branch: BranchId): MessageRow | undefined {
  const [row] = reader.rows(messageTable, { prefix: [branch], order: 'down', limit: 1 })
  return row
}

/** The branch's messages at or before `position`, newest first. */
export function* messagesBackFrom(reader: Reader, branch: BranchId, position: number): Generator<MessageRow> {
  for (let to = position; ;) {
    const rows = reader.rows(messageTable, { prefix: [branch], to, order: 'down', limit: PAGE })
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    to = last.position - 1
  }
}

/** The messages of a range that is in a list or was written by a turn. */
export function messagesIn(reader: Reader, { src, from, to }: Range): MessageRow[] {
  return [...allRows(reader, messageTable, { prefix: [src], from, to })]
}

export interface Stretch extends Pick<Ends, 'from'> {
  readonly src: BranchId
  readonly to?: number
}

/** The branch's messages at positions `from` to `to`, oldest first. */
export function messagesAdded(
  reader: Reader,
  { src, from, to = Number.MAX_SAFE_INTEGER }: Stretch,
): EventOf<'message-added'>[] {
  const rows = allRows(reader, messageTable, { prefix: [src], from, to })
  return Array.from(rows, ({ position }) => reader.event(position) as EventOf<'message-added'>)
}

/** All messages of a branch, newest first. */
export function* messagesBack(reader: Reader, branch: BranchId): Generator<EventOf<'message-added'>> {
  for (const { position } of messagesBackFrom(reader, branch, Number.MAX_SAFE_INTEGER))
    yield reader.event(position) as EventOf<'message-added'>
}

/** The last message of the last complete step at or before `position`. Prompts and forks end here (CTX3). */
export function headOf(
  reader: Reader,
  branch: BranchId,
  position = Number.MAX_SAFE_INTEGER,
): Position | null {
  const last = lastMessage(reader, branch)
  if (last === undefined) return null
  if (last.open === 0 && last.position <= position) return last.position
  for (const message of messagesBackFrom(reader, branch, position)) {
    if (message.open === 0) return message.position
  }
  return null
}

/** The last message of the step that the message at `position` belongs to; null: there is none, or it goes on. */
export function stepEndAt(reader: Reader, branch: BranchId, position: number): Position | null {
  if (reader.row(messageTable, [branch, position]) === undefined) return null
  for (const row of allRows(reader, messageTable, { prefix: [branch], from: position }))
    if (row.open === 0) return row.position
  return null
}

export interface Ends {
  readonly from: number
  readonly to: number
}

/** The messages of a branch in `from` to `to`, as a range that begins and ends with a real one; undefined if none. */
export function rangeOf(reader: Reader, src: BranchId, { from, to }: Ends): Range | undefined {
  if (from > to) return undefined
  const first = messageAtOrAfter(reader, src, from)
  if (first === undefined || first.position > to) return undefined
  const last = messageAtOrBefore(reader, src, to)
  return last && { src, from: first.position, to: last.position }
}

export function countMessages(reader: Reader, { src, from, to }: Range): number {
  return messageAt(reader, src, to).ordinal - messageAt(reader, src, from).ordinal + 1
}

export function countTokens(reader: Reader, { src, from, to }: Range): number {
  const before = messageAtOrBefore(reader, src, from - 1)
  const last = messageAtOrBefore(reader, src, to)
  return (last?.tokens ?? 0) - (before?.tokens ?? 0)
}
