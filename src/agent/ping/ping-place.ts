import type { BranchId } from '../../event/id.ts'
import { allRows, type Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { addressKey } from '../state/outbox.ts'
import type { AgentSettings } from '../state/settings.ts'
import { bindingTable } from '../state/tables.ts'
import { addressOf, isOwners, lastAddress, mainAbove } from '../state/person.ts'
import { OWNER } from '../../event/speaker.ts'
import type { PingAccount } from './ping-account.ts'

export interface PingPlace extends Pick<AgentSettings, 'pings'> {
  /** The channels of this process. */
  readonly channels?: ReadonlySet<string> | undefined
}

/** The person who is pinged. Several people may share a main session. */
export type Pinged = Pick<PingAccount, 'person' | 'main'>

/** The place a person chose, or where they wrote last; on one of these channels, if there is any. */
export function pingAddress(reader: Reader, pinged: Pinged, place: PingPlace): Address | undefined {
  const { main } = pinged
  const { pings, channels } = place
  if (isGuest(reader, pinged)) return addressOf(reader, pinged.person)
  const heard = lastAddress(reader, main)
  const first = chosen(reader, main, { to: pings.to, heard }) ?? heard
  if (channels === undefined || first === undefined || channels.has(first.channel)) return first
  const there = [...(heard === undefined ? [] : [heard]), ...otherAddresses(reader, main, channels)]
  return there.find(({ channel }) => channels.has(channel)) ?? first
}

/** A guest in the owner's session is pinged only where they wrote: other places there may be somebody else's. */
function isGuest(reader: Reader, { person, main }: Pinged): boolean {
  return person !== OWNER && isOwners(reader, main)
}

/** Conversations with this main session or anything below it on these channels, in a fixed order. */
function otherAddresses(reader: Reader, main: BranchId, channels: Iterable<string>): Address[] {
  return [...channels].toSorted(ascending).flatMap((channel) => linkedOn(reader, main, channel))
}

/** Addresses form a ring: a ping goes round it once from `first`, so no place is tried twice. */
export function nextAddress(
  reader: Reader,
  pinged: Pinged,
  { first, current, channels }: { first: Address; current: Address; channels: ReadonlySet<string> },
): Address | undefined {
  if (isGuest(reader, pinged)) return undefined
  const begun = addressKey(first)
  // What sorts behind `first` comes before the rest of the ring.
  const placeOf = (key: string): string => `${key > begun ? 1 : 2} ${key}`
  const passed = addressKey(current) === begun ? '' : placeOf(addressKey(current))
  const [next] = otherAddresses(reader, pinged.main, channels)
    .map((address) => ({ address, key: addressKey(address) }))
    .filter(({ key }) => key !== begun && placeOf(key) > passed)
    .toSorted((one, other) => ascending(placeOf(one.key), placeOf(other.key)))
  return next?.address
}

/** `telegram`, or `telegram:12345` for one conversation of this main session. */
function chosen(
  reader: Reader,
  main: BranchId,
  { to, heard }: { to: string | null; heard: Address | undefined },
): Address | undefined {
  if (to === null) return undefined
  const [, channel = to, conversation] = /^([^:]+):(.+)$/su.exec(to) ?? []
  const known = linkedOn(reader, main, channel)
  if (conversation !== undefined) return known.find((one) => one.conversation === conversation)
  return heard?.channel === channel ? heard : known[0]
}

function linkedOn(reader: Reader, main: BranchId, channel: string): Address[] {
  return [...allRows(reader, bindingTable, { prefix: [channel] })]
    .filter(({ branch }) => branch !== null && mainAbove(reader, branch) === main)
    .map((row) => ({ channel, conversation: row.conversation }))
}

function ascending(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
