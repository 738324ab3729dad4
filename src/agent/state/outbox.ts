import { limits } from '../../base/limits.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import { allRows, type Reader, type Writing } from '../../event/table.ts'
import type { Address, Choice, Embed } from '../../event/work.ts'
import { deliveryTable, numberedTable, outboxTable } from './tables.ts'

/** A message to send to somebody. */
export interface Saying {
  readonly branch: BranchId
  readonly at: number
  readonly to: Address
  readonly form: EventOf<'delivery-intended'>['form']
  readonly text: string
  /** The event that it answers or reports; null: the host speaks unprompted. */
  readonly cause: Position | null
  /** The turn that says it, if any. */
  readonly turn?: TurnId | null
  readonly embed?: Embed
  readonly choices?: readonly Choice[]
}

export function say(writing: Writing, message: Saying): Position {
  return intend(writing, message, undefined)
}

/** As `say`, unasked. Its number lets a person reply to it. `hasJob`: the person can ask for fewer. */
export function sayUnasked(
  writing: Writing,
  { hasJob = false, ...message }: Saying & { hasJob?: boolean },
): Position {
  const number = lastNumber(writing, message.to) + 1
  if (message.form !== 'ping') return intend(writing, message, number)
  const choices = [...(message.choices ?? []), ...pingChoices(number, hasJob)]
  return intend(writing, { ...message, choices }, number)
}

function intend(writing: Writing, message: Saying, number: number | undefined): Position {
  const { branch, at, to, form, text, cause, turn = null, embed, choices = [] } = message
  const { channel, conversation } = to
  return writing.append({
    kind: 'delivery-intended',
    branch,
    at,
    v: 1,
    to: { channel, conversation },
    form,
    text,
    turn,
    ...(embed !== undefined && { embed }),
    ...(choices.length > 0 && { choices: [...choices] }),
    ...(number !== undefined && { number }),
    ...(cause !== null && { cause }),
  })
}

/** One-press reactions to any ping, by its number. */
export function pingChoices(number: number, hasJob: boolean): Choice[] {
  const all = [
    { label: 'Done', command: `/done ${number}` },
    { label: 'Snooze 10 min', command: `/snooze ${number} 10m` },
    { label: 'Snooze 1 h', command: `/snooze ${number} 1h` },
    { label: 'Snooze tomorrow', command: `/snooze ${number} tomorrow` },
  ]
  return hasJob ? [...all, { label: 'Less of this', command: `/less ${number}` }] : all
}

/** Drops the standard choices of every ping: a model's own choices are words and never a command (SAFE4). */
export function ownChoices(choices: readonly Choice[]): Choice[] {
  return choices.filter(({ command }) => !command.startsWith('/'))
}

/** An address as one text. Channel names contain no line break. */
export function addressKey({ channel, conversation }: Address): string {
  return `${channel}\n${conversation}`
}

export function firstUnsettled(reader: Reader, address: string): Position | undefined {
  return unsettled(reader, address, 1)[0]
}

/** Every address that anything was ever sent to. */
export function addresses(reader: Reader): Address[] {
  return [...allRows(reader, outboxTable, { prefix: [] })].map(({ address }) => {
    const [channel = '', conversation = ''] = address.split(/\n(.*)/s)
    return { channel, conversation }
  })
}

/** Deliveries to this address without an outcome, oldest first. */
export function unsettled(reader: Reader, address: string, limit = limits.waitingMax as number): Position[] {
  const from = (reader.row(outboxTable, [address])?.settled_to ?? 0) + 1
  const rows = reader.rows(deliveryTable, { prefix: [address], from, order: 'up', limit })
  return rows.map(({ position }) => position)
}

/** The number of the last message in this conversation that nobody had waited for. */
export function lastNumber(reader: Reader, to: Address): number {
  const stretch = { prefix: [addressKey(to)], order: 'down', limit: 1 } as const
  return reader.rows(numberedTable, stretch)[0]?.number ?? 0
}
