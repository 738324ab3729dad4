import type { BranchId, Position, TurnId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Address, Choice, Embed } from '../event/work.ts'
import type { Writing } from '../log/log.ts'
import { personNear } from './asker.ts'
import { lastNumber } from './outbox.ts'
import { newestTable } from './tables.ts'
import { mainAbove } from './updates.ts'

/** Messages that nobody waits for: numbered in their conversation, so that a person can reply to one. */
export interface Unasked {
  readonly branch: BranchId
  readonly at: number
  readonly to: Address
  readonly form: 'ping' | 'notice'
  readonly text: string
  readonly turn: TurnId | null
  readonly embed?: Embed
  readonly choices?: Choice[]
}

export function intendUnasked(writing: Writing, message: Unasked): Position {
  const number = lastNumber(writing, message.to) + 1
  return writing.append({ kind: 'delivery-intended', v: 1, ...message, number })
}

/** Where it is kept what a person said last to the main session of a branch, or to anything below that. */
export function heardRow(reader: Reader, branch: BranchId): string {
  return `heard ${mainAbove(reader, branch) ?? branch}`
}

/** Where the person wrote last to whom this branch belongs: to its main session, or to anything below that. */
export function personOf(reader: Reader, branch: BranchId): Address | undefined {
  const row = reader.row(newestTable, [heardRow(reader, branch)])
  const event = row && reader.event(row['position'] as Position)
  const source = event?.kind === 'inbound-admitted' || event?.kind === 'command-run' ? event.source : null
  if (source?.from !== 'person') return personNear(reader, branch)
  return { channel: source.channel, conversation: source.conversation }
}
