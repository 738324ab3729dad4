import { getBranch, lineOf } from '../../context/branch.ts'
import type { Act } from '../../context/decision.ts'
import { livingMains } from '../../context/living.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Address, HostSource, PersonSource } from '../../event/work.ts'
import { newest } from './newest.ts'
import { bindingTable, inboxTable } from './tables.ts'
import { OWNER, personOf } from '../../event/speaker.ts'

/** The main session that a branch belongs to: itself, if it is one. */
export function mainAbove(reader: Reader, branch: BranchId): BranchId | undefined {
  return lineOf(reader, getBranch(reader, branch)).find(({ mode }) => mode === 'main')?.id
}

/** The main session above a branch, or the branch itself if there is none. */
export function mainOrSelf(reader: Reader, branch: BranchId): BranchId {
  return mainAbove(reader, branch) ?? branch
}

/** The oldest main session that has not ended: new conversations begin there. */
export function oldestMain(reader: Reader): BranchId | undefined {
  return livingMains(reader)[0]
}

/** The main session where a person spoke last; for the owner, the oldest one until they speak. */
export function mainOf(reader: Reader, person: string): BranchId | undefined {
  const spoke = newest(reader, 'spoke', person)
  const main = spoke && mainAbove(reader, spoke.branch)
  return main ?? (person === OWNER ? oldestMain(reader) : undefined)
}

/** The person of a main session. The oldest one is the owner's, whatever a platform calls them. */
export function personIn(reader: Reader, main: BranchId): string {
  return isOwners(reader, main) ? OWNER : personOf(lastHeard(reader, main))
}

export function isOwners(reader: Reader, main: BranchId): boolean {
  return main === oldestMain(reader) || main === mainOf(reader, OWNER)
}

/** The address a person last wrote from. */
export function addressOf(reader: Reader, person: string): Address | undefined {
  return placeOf(newest(reader, 'spoke', person)?.source)
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

/** The address a person spoke from; undefined: it was not a person. */
export function placeOf(source: PersonSource | HostSource | null | undefined): Address | undefined {
  if (source?.from !== 'person') return undefined
  return { channel: source.channel, conversation: source.conversation }
}

/** The branch that a conversation talks to, possibly ended; undefined: it never talked to any. */
export function boundTo(reader: Reader, { channel, conversation }: Address): BranchId | undefined {
  return reader.row(bindingTable, [channel, conversation])?.branch
}

/** Sends the conversation's messages to `branch` from here on. */
export function bindTo(writing: Writing, { channel, conversation }: Address, act: Act): void {
  const { branch, at, author } = act
  writing.append({ kind: 'conversation-bound', branch, at, v: 1, channel, conversation, author })
}
