import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import type { Writing } from '../../log/log.ts'
import { budgetNow } from './budget-now.ts'
import { jobOfPing, personPinged } from '../state/ledger.ts'
import { lastOfWork } from './pinging.ts'
import { pingAddress } from './ping-place.ts'
import type { AgentSettings } from '../state/settings.ts'
import { pingTable } from '../state/tables.ts'
import { ownChoices, sayUnasked } from '../state/outbox.ts'

/** A ping and the message that delivered it. */
export interface Snoozed {
  readonly ping: EventOf<'ping-decided'>
  readonly message: EventOf<'delivery-intended'>
}

/** Undefined: no ping at this position was ever sent, whatever the file says. */
export function snoozedAt(reader: Reader, position: number): Snoozed | undefined {
  const ping = position <= reader.end ? reader.event(position as Position) : undefined
  if (ping?.kind !== 'ping-decided') return undefined
  const row = reader.row(pingTable, [personPinged(reader, ping), ping.position])
  const delivery = row?.delivery ?? null
  const message = delivery === null ? undefined : reader.event(delivery)
  return message?.kind === 'delivery-intended' ? { ping, message } : undefined
}

export interface Again {
  readonly main: BranchId
  readonly at: number
  readonly settings: Pick<AgentSettings, 'pings' | 'zone'>
}

/** Sends the message again from the same branch, so that a reply has its context. Free, as the person asked for it. */
export function sendAgain(writing: Writing, { ping, message }: Snoozed, again: Again): void {
  const { at, settings } = again
  const { branch, turn, embed, choices = [] } = message
  const job = jobOfPing(writing, ping)
  const person = personPinged(writing, ping)
  const to: Address = pingAddress(writing, { main: again.main, person }, settings) ?? message.to
  const delivery = sayUnasked(writing, {
    branch,
    at,
    to,
    form: 'ping',
    text: marked(message.text),
    turn,
    ...(embed !== undefined && { embed: { ...embed, title: marked(embed.title) } }),
    choices: ownChoices(choices),
    hasJob: job !== undefined,
    cause: ping.position,
  })
  const { capacity, refillMinutes, available, day } = budgetNow(writing, person, { now: at, settings })
  writing.append({
    kind: 'ping-decided',
    branch: ping.branch,
    at,
    v: 1,
    turn: ping.turn,
    run: null,
    what: ping.what,
    isCritical: false,
    verdict: 'sent',
    because: 'asked',
    text: ping.text,
    // Otherwise it would hide an earlier ping of the work that runs there (PING2).
    before: lastOfWork(writing, ping.branch),
    delivery,
    budget: { person, capacity, refillMinutes, available, day },
    ...(job !== undefined && { job }),
  })
}

const MARK = '(snoozed) '

/** Marks a repeated message as such. */
function marked(text: string): string {
  return text.startsWith(MARK) ? text : `${MARK}${text}`
}
