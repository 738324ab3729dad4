import { messageNumbered } from '../../agent/branch/reply-act.ts'
import { pingAt, pingsIn } from '../../agent/state/ledger.ts'
import { lastNumber } from '../../agent/state/outbox.ts'
import type { EventOf } from '../../event/event.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'

/** A numbered message and its pings: several critical pings can share one message. */
export interface PingMessage {
  readonly number: number
  readonly message: EventOf<'delivery-intended'>
  readonly pings: readonly [EventOf<'ping-decided'>, ...EventOf<'ping-decided'>[]]
}

/** The ping message with this number, or why there is none. `how` is the command before the number: `/done`. */
export function pingNumbered(
  reader: Reader,
  address: Address,
  { number, how }: { readonly number: number; readonly how: string },
): PingMessage | string {
  const message = messageNumbered(reader, address, number)
  if (message === undefined) {
    const last = lastNumber(reader, address)
    return noSuchMessage(number, last, `${how} ${last}`)
  }
  const [first, ...others] = pingsIn(reader, message.position).map((ping) => pingAt(reader, ping))
  if (first === undefined)
    return `#${number} is a notice, not a ping, so /done, /snooze and /less do not apply. /reply ${number} TEXT answers it.`
  return { number, message, pings: [first, ...others] }
}

/** `meant` is the command for the newest message. */
export function noSuchMessage(number: number, last: number, meant: string): string {
  const what = 'Only pings and notices have numbers.'
  if (last === 0) return `There is no message #${number}: none came yet. ${what}`
  return `There is no message #${number} here. ${what} The newest is #${last}: ${meant}`
}
