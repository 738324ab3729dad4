import type { Entry } from '../../channel/terminal/port.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import { branchNames } from '../../context/naming.ts'
import type { Event, EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { isTypedAt } from './place.ts'

/** A move is noticed soon, so only the newest events are searched. */
const LOOKED_MAX = 1_000

/** Who moved the conversation out of this branch, or ended the branch. */
export function moverOf(reader: Reader, address: Address, left: BranchId): 'person' | 'other' {
  for (let at = reader.end; at > Math.max(0, reader.end - LOOKED_MAX); at--) {
    const event = reader.event(at as Position)
    const isEnd = event.kind === 'branch-ended' && event.branch === left
    if (isEnd || isBinding(event, address)) return event.author.by === 'person' ? 'person' : 'other'
  }
  return 'other'
}

function isBinding(event: Event, { channel, conversation }: Address): event is EventOf<'conversation-bound'> {
  return (
    event.kind === 'conversation-bound' && event.channel === channel && event.conversation === conversation
  )
}

/** Where the conversation was from a position on. */
export interface Stay {
  readonly since: Position
  readonly branch: BranchId
}

/** What an event says about it: it was taken there, or a person's words were admitted there. */
export function stayIn(event: Event, address: Address): Stay | undefined {
  const isThere =
    isBinding(event, address) || (event.kind === 'inbound-admitted' && isTypedAt(address, event.source))
  return isThere ? { since: event.position, branch: event.branch } : undefined
}

/**
 * Adds the branch that was shown when the entry came, so that the past looks as it did then. `stays` has the newest
 * first; where the conversation was before the oldest is unknown.
 */
export function withShown(
  reader: Reader,
  entry: Entry,
  { position, stays, address }: { position: Position; stays: readonly Stay[]; address: Address },
): Entry {
  if (entry.kind !== 'answer' && entry.kind !== 'ping') return entry
  const now = stays.length === 0 ? boundBranch(reader, address) : undefined
  const branch = stays.find(({ since }) => since < position)?.branch ?? now
  return { ...entry, shown: branch === undefined ? entry.branch : branchNames(reader)(branch) }
}
