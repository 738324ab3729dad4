import { limits } from '../../base/limits.ts'
import { getBranch, lineOf } from '../../context/branch.ts'
import type { Act } from '../../context/decision.ts'
import { guestIn, livingMains } from '../../context/living.ts'
import { OWNER } from '../../event/speaker.ts'
import type { Author, EventOf } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import { allRows, type Reader, type RowOf, type Writing } from '../../event/table.ts'
import type { Address, HostSource, PersonSource } from '../../event/work.ts'
import { importedTo, newest } from './newest.ts'
import { bindingTable, fileTable, identityTable, inboxTable, pairingTable, personTable } from './tables.ts'

/** The one place that knows who people are, whose a branch is, where somebody is reached and what they may do. */

/** The main session that a branch belongs to: itself, if it is one. */
export function mainAbove(reader: Reader, branch: BranchId): BranchId | undefined {
  return lineOf(reader, getBranch(reader, branch)).find(({ mode }) => mode === 'main')?.id
}

/** The main session above a branch, or the branch itself if there is none. */
export function mainOrSelf(reader: Reader, branch: BranchId): BranchId {
  return mainAbove(reader, branch) ?? branch
}

/** The owner's oldest main session that has not ended: their new conversations begin there. */
export function oldestMain(reader: Reader): BranchId | undefined {
  return livingMains(reader)[0]
}

/** A person's own main session; for the owner, the one where they spoke last, or the oldest one until they speak. */
export function mainOf(reader: Reader, person: string): BranchId | undefined {
  const own = reader.row(personTable, [person])
  if (own !== undefined) return own.removed === null ? own.main : undefined
  const spoke = newest(reader, 'spoke', person)
  const main = spoke && mainAbove(reader, spoke.branch)
  return main ?? (person === OWNER ? oldestMain(reader) : undefined)
}

/** Whose a branch is: the person whose main session is above it. What nobody else was given is the owner's (PEOPLE1). */
export function personIn(reader: Reader, branch: BranchId): string {
  return guestIn(reader, branch) ?? OWNER
}

/** The people whose messages name a stored file. */
export function peopleNaming(reader: Reader, hash: string): string[] {
  return [...allRows(reader, fileTable, { prefix: [hash] })].map(({ person }) => person)
}

/** The name of the guest or group whose a branch is; undefined: it is the owner's. */
export function guestName(reader: Reader, branch: BranchId): string | undefined {
  const person = guestIn(reader, branch)
  return person === null ? undefined : nameOfPerson(reader, person)
}

export function isOwners(reader: Reader, branch: BranchId): boolean {
  return personIn(reader, branch) === OWNER
}

/** The address a person last wrote from, or was let in at. */
export function addressOf(reader: Reader, person: string): Address | undefined {
  const own = reader.row(personTable, [person])
  if (own !== undefined && own.removed !== null) return undefined
  return placeOf(newest(reader, 'spoke', person)?.source) ?? (own && addressIn(reader, own.main))
}

/** The address of the person who last spoke to this branch itself, or was connected to it. */
export function addressIn(reader: Reader, branch: BranchId): Address | undefined {
  const { channel = null, conversation = null } = reader.row(inboxTable, [branch]) ?? {}
  return channel === null || conversation === null ? undefined : { channel, conversation }
}

/** As `addressIn`, or the same of the nearest branch above that somebody talks to. */
export function addressNear(reader: Reader, branch: BranchId): Address | undefined {
  for (const { id } of lineOf(reader, getBranch(reader, branch))) {
    const address = addressIn(reader, id)
    if (address !== undefined) return address
  }
  return undefined
}

/** The address that last wrote to the main session of this branch, or to anything below it. */
export function lastAddress(reader: Reader, branch: BranchId): Address | undefined {
  return placeOf(lastHeard(reader, branch)) ?? addressNear(reader, branch)
}

/** The last person who wrote to the main session of this branch, or to anything below it. */
export function lastHeard(reader: Reader, branch: BranchId): PersonSource | undefined {
  const source = newest(reader, 'heard', mainOrSelf(reader, branch))?.source
  return source?.from === 'person' ? source : undefined
}

/** Who does what was typed there. In a group it is the one who spoke. */
export function authorOf({ person, speaker }: Pick<PersonSource, 'person' | 'speaker'>): Author {
  const who = speaker?.person ?? person
  return who === OWNER ? { by: 'person' } : { by: 'person', person: who }
}

/** The address a person spoke from; undefined: it was not a person. */
export function placeOf(source: PersonSource | HostSource | null | undefined): Address | undefined {
  if (source?.from !== 'person') return undefined
  return { channel: source.channel, conversation: source.conversation }
}

/** The branch that a conversation talks to, possibly ended; undefined: it never talked to any. */
export function boundTo(reader: Reader, { channel, conversation }: Address): BranchId | undefined {
  return reader.row(bindingTable, [channel, conversation])?.branch ?? undefined
}

/** Sends the conversation's messages to `branch` from here on. */
export function bindTo(writing: Writing, address: Address & { readonly before?: string }, act: Act): void {
  const { branch, at, author } = act
  const { channel, conversation, before } = address
  const place = { channel, conversation, ...(before !== undefined && { before }) }
  writing.append({ kind: 'conversation-bound', branch, at, ...place, author })
}

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
  const row = reader.row(identityTable, [key])
  return row?.is_link === 0 ? (row.person ?? undefined) : undefined
}

/**
 * Whether a message of this branch may still be sent to its address: not if all accounts that wrote from there were
 * taken away, or are somebody else's by now (PEOPLE1). A stranger is still shown a code.
 */
export function isReached(
  reader: Reader,
  { branch, to, notice }: Pick<EventOf<'delivery-intended'>, 'branch' | 'to' | 'notice'>,
  { links }: { readonly links: readonly string[] },
): boolean {
  if (notice === 'pairing') return true
  const accounts = accountsAt(reader, to)
  // The owner is also asked about what guests' branches do.
  const hearers = new Set([personIn(reader, branch), OWNER])
  const isTheirs = ({ identity, person, is_link }: RowOf<typeof identityTable>): boolean =>
    links.includes(identity) || (is_link === 0 && person !== null && hearers.has(person))
  return accounts.length === 0 || accounts.some(isTheirs)
}

/** The accounts that wrote from an address: of chat apps, and there not of groups. */
export function accountsAt(reader: Reader, { channel, conversation }: Address) {
  return [...allRows(reader, identityTable, { prefix: [] })].filter(
    (row) => row.channel === channel && row.conversation === conversation,
  )
}

/** The identities that pairing linked to a person; null: those that are strangers again. */
export function identitiesOf(reader: Reader, person: string | null): string[] {
  return [...allRows(reader, identityTable, { prefix: [] })]
    .filter((row) => row.person === person && row.is_link === 0)
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
export function nameOfPerson(reader: Reader, person: string): string {
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
    .filter(({ decided, position }) => decided === null && position > importedTo(reader))
    .map(({ position }) => reader.event(position) as Pairing)
    .filter(({ at }) => Math.abs(now - at) < PAIRING_MS)
}
