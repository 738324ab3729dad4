import { isOpenApproval } from '../../agent/state/approvals.ts'
import { admittedBefore } from '../../agent/state/inbox.ts'
import { pingRow, pingsIn } from '../../agent/state/ledger.ts'
import { addressKey, keysOf, placeNow } from '../../agent/state/outbox.ts'
import { boundTo, openPairings, personIn } from '../../agent/state/person.ts'
import { forkTable } from '../../agent/state/tables.ts'
import { getBranch } from '../../context/branch.ts'
import type { Inbound } from '../../channel/channel.ts'
import { OWNER } from '../../event/speaker.ts'
import type { EventOf } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'

type Delivery = EventOf<'delivery-intended'>

/**
 * The delivery and the choice of a pressed button. Undefined: no button with this key was sent to that conversation, it
 * was for somebody else, or its question is closed (BUTTON1).
 */
export function pressedIn(
  reader: Reader,
  at: Pick<Inbound, 'channel' | 'conversation' | 'person'>,
  { key, now }: { readonly key: string; readonly now: number },
): { readonly delivery: Delivery; readonly command: string } | undefined {
  const position = Number(/^(\d{1,15})\./.exec(key)?.[1] ?? 0) as Position
  const index = keysOf(reader, position)?.indexOf(key) ?? -1
  if (index < 0) return undefined
  const delivery = reader.event(position) as Delivery
  const command = delivery.choices?.[index]?.command
  if (command === undefined) return undefined
  if (addressKey(placeNow(reader, delivery.to)) !== addressKey(at)) return undefined
  // The owner is also asked about what guests' branches do, and then those guests are not.
  const isTheirs = [delivery.branch, boundTo(reader, at)].every(
    (id) => id && personIn(reader, id) === at.person,
  )
  if (at.person !== OWNER && !isTheirs) return undefined
  return isOpen(reader, { delivery, command, now }) ? { delivery, command } : undefined
}

/** All buttons of a message are admitted under this one key, so that only the first press counts. */
export function pressKey({ position }: Pick<Delivery, 'position'>): string {
  return `button ${position}`
}

/** Whether no button of a message counts any more, because one was pressed or the question was answered elsewhere. */
export function areSpent(reader: Reader, delivery: Delivery, now: number): boolean {
  const { to, choices = [] } = delivery
  if (admittedBefore(reader, placeNow(reader, to), pressKey(delivery)) !== undefined) return true
  return !choices.some(({ command }) => isOpen(reader, { delivery, command, now }))
}

function isOpen(
  reader: Reader,
  { delivery, command, now }: { delivery: Delivery; command: string; now: number },
): boolean {
  const { cause, position } = delivery
  const asked = cause === undefined ? undefined : reader.event(cause)
  if (asked?.kind === 'approval-asked') return isOpenApproval(reader, asked.number, now)
  if (asked?.kind === 'pairing-asked')
    return openPairings(reader, now).some(({ code }) => code === asked.code)
  if (ENDS_FORK.has(command)) return isInForkOf(reader, delivery)
  const pings = pingsIn(reader, position)
  return pings.length === 0 || pings.some((ping) => pingRow(reader, ping).answer === null)
}

const ENDS_FORK: ReadonlySet<string> = new Set(['/save', '/report', '/exit'])

/** Only one fork is open in a conversation, so the message is of that fork if it came after the fork was entered. */
function isInForkOf(reader: Reader, { to, position }: Delivery): boolean {
  const fork = boundTo(reader, to)
  const entered = fork === undefined ? undefined : reader.row(forkTable, [fork])?.entered
  if (fork === undefined || entered === undefined) return false
  return entered < position && getBranch(reader, fork).state.kind !== 'ended'
}
