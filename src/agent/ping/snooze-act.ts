import type { Position } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { budgetNow } from './budget-now.ts'
import { personPinged } from '../state/ledger.ts'
import { lastOfWork } from './pinging.ts'
import type { PingAccount } from './ping-account.ts'
import { writePing, type PingLine } from './ping-line.ts'
import { pingAddress } from './ping-place.ts'
import { accountOfPing, repeatPing } from './ping-settling.ts'
import { pingTable } from '../state/tables.ts'
export type Snoozed = NonNullable<ReturnType<typeof snoozedAt>>

/** A ping and the message that delivered it. Undefined: none of this position was ever sent, whatever the file says. */
export function snoozedAt(reader: Reader, position: number) {
  const ping = position <= reader.end ? reader.event(position as Position) : undefined
  if (ping?.kind !== 'ping-decided') return undefined
  const row = reader.row(pingTable, [personPinged(reader, ping), ping.position])
  const delivery = row?.delivery ?? null
  const message = delivery === null ? undefined : reader.event(delivery)
  return message?.kind === 'delivery-intended' ? { ping, message } : undefined
}

/** Sends the message again from the same branch, so that a reply has its context. Free, as the person asked for it. */
export function sendAgain(
  writing: Writing,
  { ping, message }: Snoozed,
  again: Pick<PingLine, 'at' | 'settings'> & Pick<PingAccount, 'main'>,
): void {
  const { at, settings } = again
  const { turn, what, position: cause } = ping
  const account = { ...accountOfPing(writing, ping), run: undefined }
  const { person } = account
  const to = pingAddress(writing, { main: again.main, person }, settings) ?? message.to
  const embed = message.embed && { ...message.embed, title: marked(message.embed.title) }
  const repeated = { ...message, text: marked(message.text), ...(embed && { embed }) }
  const delivery = repeatPing(writing, repeated, { to, at, cause, hasJob: account.job !== undefined })
  const { capacity, refillMinutes, available, day } = budgetNow(writing, person, { now: at, settings })
  const line = { account, at, settings, turn, what, delivery, content: { text: ping.text } }
  const sent = { isCritical: false, verdict: 'sent', because: 'asked' } as const
  writePing(writing, {
    ...line,
    ...sent,
    // Otherwise it would hide an earlier ping of the work that runs there (PING2).
    before: lastOfWork(writing, ping.branch),
    budget: { person, capacity, refillMinutes, available, day },
  })
}

const MARK = '(snoozed) '

/** Marks a repeated message as such. */
function marked(text: string): string {
  return text.startsWith(MARK) ? text : `${MARK}${text}`
}
