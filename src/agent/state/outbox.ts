import type { Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { deliveryTable, numberedTable, outboxTable } from './tables.ts'

/** One text for both halves of an address: a channel's name has no line's end. */
export function addressKey({ channel, conversation }: Address): string {
  return `${channel}\n${conversation}`
}

export function firstUnsettled(reader: Reader, address: string): Position | undefined {
  return unsettled(reader, address, 1)[0]
}

/** Every address that anything was ever meant for. */
export function addresses(reader: Reader): Address[] {
  const stretch = { prefix: [], order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
  return reader.rows(outboxTable, stretch).map(({ address }) => {
    const [channel = '', conversation = ''] = address.split(/\n(.*)/s)
    return { channel, conversation }
  })
}

/** Deliveries to this address without an outcome, in the order in which they were meant. */
export function unsettled(reader: Reader, address: string, limit = Number.MAX_SAFE_INTEGER): Position[] {
  const from = (reader.row(outboxTable, [address])?.settled_to ?? 0) + 1
  const rows = reader.rows(deliveryTable, { prefix: [address], from, order: 'up', limit })
  return rows.map(({ position }) => position)
}

/** Of the messages that nobody waited for in this conversation. */
export function lastNumber(reader: Reader, to: Address): number {
  const stretch = { prefix: [addressKey(to)], order: 'down', limit: 1 } as const
  return reader.rows(numberedTable, stretch)[0]?.number ?? 0
}
