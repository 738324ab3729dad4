import { waiting } from '../../agent/state/inbox.ts'
import { personPinged, pingAt, pingsIn } from '../../agent/state/ledger.ts'
import { addressKey } from '../../agent/state/outbox.ts'
import { deliveryTable, pingTable } from '../../agent/state/tables.ts'
import { newest } from '../../agent/state/newest.ts'
import { getBranch } from '../../context/branch.ts'
import type { EventOf } from '../../event/event.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { readWhen } from '../../schedule/when.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import type { ParsedCommand } from '../read/catalogue.ts'
import type { Desk } from './desk.ts'
import { readPingWords } from '../read/ping-words.ts'
import { mainOrSelf } from '../../agent/state/person.ts'

export type PingCommand = Extract<ParsedCommand, { name: 'done' | 'snooze' | 'less' }>

/**
 * The command that a reply to a ping stands for, if it has no other words. An answer that the ping itself offers is not a
 * command: it goes to the agent that wrote the ping.
 */
export async function commandMeant(
  desk: Pick<Desk, 'log' | 'now' | 'settings'>,
  text: string,
  find: (reader: Reader) => EventOf<'delivery-intended'> | undefined,
): Promise<PingCommand | undefined> {
  const words = readPingWords(text)
  if (words === undefined) return undefined
  const message = await desk.log.read((reader) => {
    const found = find(reader)
    return found === undefined || pingsIn(reader, found.position).length === 0 ? undefined : found
  })
  const { number, choices = [] } = message ?? {}
  if (number === undefined || choices.some(({ command }) => plain(command) === plain(text))) return undefined
  if (words.answer !== 'snooze') return { name: words.answer, number }
  const { when } = words
  const end = await snoozeEnd(when, { now: desk.now(), zone: desk.settings().zone })
  return 'at' in end ? { name: 'snooze', number, when } : undefined
}

/**
 * The ping at the end of a conversation: it arrived, was not answered, and nothing was said since. After any other
 * message, a word such as `done` may be meant for that message.
 */
export function pingInView(reader: Reader, address: Address): EventOf<'delivery-intended'> | undefined {
  const stretch = { prefix: [addressKey(address)], order: 'down', limit: 1 } as const
  const position = reader.rows(deliveryTable, stretch)[0]?.position
  const event = position === undefined ? undefined : reader.event(position)
  const branch = boundBranch(reader, address)
  if (event?.kind !== 'delivery-intended' || event.form !== 'ping' || branch === undefined) return undefined
  const heard = newest(reader, 'heard', mainOrSelf(reader, branch))
  const isBusy = getBranch(reader, branch).state.kind === 'running' || waiting(reader, branch).length > 0
  if (isBusy || (heard?.position ?? 0) > event.position) return undefined
  const pings = pingsIn(reader, event.position).map((ping) => pingAt(reader, ping))
  const rows = pings.map((ping) => reader.row(pingTable, [personPinged(reader, ping), ping.position]))
  return rows.every((row) => row?.state === 'arrived' && row.answer === null) ? event : undefined
}

function plain(text: string): string {
  return text.trim().toLowerCase()
}

const SECOND_MS = 1_000

/** When a snooze ends, in whole seconds; without a time, after an hour. */
export async function snoozeEnd(
  when: string | null,
  look: { readonly now: number; readonly zone: string },
): Promise<{ readonly at: number } | { readonly problem: string }> {
  const read = await readWhen(when ?? '1h', look)
  return 'problem' in read ? read : { at: Math.ceil(read.at / SECOND_MS) * SECOND_MS }
}
