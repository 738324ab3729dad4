import { limits } from '../../base/limits.ts'
import type { EventOf } from '../../event/event.ts'
import { OWNER } from '../../event/speaker.ts'
import { allRows, type Reader, type RowOf } from '../../event/table.ts'
import { identityTable, pairingTable, personTable } from './tables.ts'

/** Who may talk to the assistant, besides the owner. */

/** `owner`: everything. `guest`: their own. `group`: a conversation of several people, with a guest's rights. */
export type Role = 'owner' | 'guest' | 'group'

export type Person = RowOf<typeof personTable>

/** Who somebody is on a platform. */
export interface Identity {
  readonly channel: string
  readonly user: string
}

/** `telegram:12345`, as `links` in the configuration has it. */
export function identityKey({ channel, user }: Identity): string {
  return `${channel}:${user}`
}

/** The person with this identity; undefined: a stranger. `links` are the owner's by configuration. */
export function identityOf(
  reader: Reader,
  identity: Identity,
  { links }: { readonly links: readonly string[] },
): string | undefined {
  const key = identityKey(identity)
  if (links.includes(key)) return OWNER
  return reader.row(identityTable, [key])?.person ?? undefined
}

/** The identities that were linked to each person, by pairing. */
export function identitiesOf(reader: Reader, person: string): string[] {
  return [...allRows(reader, identityTable, { prefix: [] })]
    .filter((row) => row.person === person)
    .map(({ identity }) => identity)
}

/** Undefined: nobody, or somebody who was removed. */
export function roleOf(reader: Reader, person: string): Role | undefined {
  return person === OWNER ? 'owner' : findPerson(reader, person)?.role
}

/** A guest or a group that was not removed. */
export function findPerson(reader: Reader, person: string): Person | undefined {
  const row = reader.row(personTable, [person])
  return row?.removed === null ? row : undefined
}

/** How a person is called. */
export function nameOf(reader: Reader, person: string): string {
  return reader.row(personTable, [person])?.name ?? person
}

/** Guests and groups, in the order of their ids. */
export function peopleIn(reader: Reader): Person[] {
  return [...allRows(reader, personTable, { prefix: [] })].filter(({ removed }) => removed === null)
}

/** The last codes that were shown, newest first: there are no more in an hour, so those that count are among them. */
export function newestPairings(reader: Reader): readonly RowOf<typeof pairingTable>[] {
  return reader.rows(pairingTable, { prefix: [], order: 'down', limit: limits.hintsPerHour })
}

export const PAIRING_MS = 60 * 60 * 1_000

export type Pairing = EventOf<'pairing-asked'>

/** Strangers whose code can still be approved, newest first. */
export function openPairings(reader: Reader, now: number): Pairing[] {
  return newestPairings(reader)
    .filter(({ decided }) => decided === null)
    .map(({ position }) => reader.event(position) as Pairing)
    .filter(({ at }) => Math.abs(now - at) < PAIRING_MS)
}
