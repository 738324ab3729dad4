import type { BranchId, Position } from '../event/id.ts'
import type { Range } from '../event/item.ts'
import type { Reader, Row } from '../event/table.ts'
import { messageTable } from './tables.ts'

export interface MessageRow {
  readonly position: Position
  readonly ordinal: number
  readonly tokens: number
  readonly open: number
}

/** Asked for in pages: a step is rarely longer. */
const PAGE = 16

export function messageAtOrBefore(
  reader: Reader,
  branch: BranchId,
  position: number,
): MessageRow | undefined {
  const [row] = reader.rows(messageTable, { prefix: [branch], to: position, order: 'down', limit: 1 })
  return row && fromRow(row)
}

export function messageAtOrAfter(reader: Reader, branch: BranchId, position: number): MessageRow | undefined {
  const [row] = reader.rows(messageTable, { prefix: [branch], from: position, order: 'up', limit: 1 })
  return row && fromRow(row)
}

export function lastMessage(reader: Reader, branch: BranchId): MessageRow | undefined {
  const [row] = reader.rows(messageTable, { prefix: [branch], order: 'down', limit: 1 })
  return row && fromRow(row)
}

/** The branch's messages at or before `position`, newest first. */
export function* messagesBackFrom(reader: Reader, branch: BranchId, position: number): Generator<MessageRow> {
  for (let to = position; ;) {
    const rows = reader.rows(messageTable, { prefix: [branch], to, order: 'down', limit: PAGE })
    for (const row of rows) yield fromRow(row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    to = (last['position'] as number) - 1
  }
}

export function messagesIn(reader: Reader, range: Range): MessageRow[] {
  const { src, from, to } = range
  const stretch = { prefix: [src], from, to, order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
  return reader.rows(messageTable, stretch).map(fromRow)
}

/** Last message of the last complete step at or before `position`: no reader ever sees past it (CTX3). */
export function headOf(
  reader: Reader,
  branch: BranchId,
  position = Number.MAX_SAFE_INTEGER,
): Position | null {
  for (const message of messagesBackFrom(reader, branch, position)) {
    if (message.open === 0) return message.position
  }
  return null
}

/** The messages of a branch in `from` to `to`, as a range that begins and ends with a real one; none: undefined. */
export function rangeOf(
  reader: Reader,
  src: BranchId,
  { from, to }: { from: number; to: number },
): Range | undefined {
  const first = messageAtOrAfter(reader, src, from)
  if (first === undefined || first.position > to) return undefined
  const last = messageAtOrBefore(reader, src, to)
  return last && { src, from: first.position, to: last.position }
}

export function countMessages(reader: Reader, { src, from, to }: Range): number {
  const first = messageAtOrAfter(reader, src, from)
  const last = messageAtOrBefore(reader, src, to)
  return first && last ? last.ordinal - first.ordinal + 1 : 0
}

export function countTokens(reader: Reader, { src, from, to }: Range): number {
  const before = messageAtOrBefore(reader, src, from - 1)
  const last = messageAtOrBefore(reader, src, to)
  return (last?.tokens ?? 0) - (before?.tokens ?? 0)
}

function fromRow(row: Row): MessageRow {
  return row as unknown as MessageRow
}
