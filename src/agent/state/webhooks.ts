import type { EventOf } from '../../event/event.ts'
import type { Reader } from '../../event/table.ts'
import { callTable, inboundKeyTable, webhookTable } from './tables.ts'

/** A request to a webhook. */
export type Call = EventOf<'webhook-received'>

/** The call that is taken next; undefined: none waits. */
export function firstCall(reader: Reader, job: string): Call | undefined {
  const from = (reader.row(webhookTable, [job])?.taken_to ?? 0) + 1
  const [first] = reader.rows(callTable, { prefix: [job], from, order: 'up', limit: 1 })
  return first && (reader.event(first.position) as Call)
}

export function callsWaiting(reader: Reader, job: string): number {
  return reader.row(webhookTable, [job])?.waiting ?? 0
}

/** The key of a call in the table of all inbound keys. A call without a key of its own is known by its body. */
export function callKey({ job, key, hash }: Pick<Call, 'job' | 'key' | 'hash'>) {
  return { channel: 'webhook', conversation: job, key: key ?? `body ${hash}` }
}

/** The newest call with the same key, or without one and with the same body. */
export function sameCall(reader: Reader, call: Pick<Call, 'job' | 'key' | 'hash'>): Call | undefined {
  const { channel, conversation, key } = callKey(call)
  const row = reader.row(inboundKeyTable, [channel, conversation, key])
  const event = row && reader.event(row.position)
  return event?.kind === 'webhook-received' ? event : undefined
}
