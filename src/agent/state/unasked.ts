import type { DraftOf } from '../../event/event.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address, Choice, Embed, PersonSource } from '../../event/work.ts'
import type { Writing } from '../../log/log.ts'
import { personNear } from './asker.ts'
import { newest } from './newest.ts'
import { lastNumber } from './outbox.ts'
import { mainOrSelf } from './updates.ts'

/** Messages that nobody waits for: numbered in their conversation, so that a person can reply to one. */
export interface Unasked {
  readonly branch: BranchId
  readonly at: number
  readonly to: Address
  readonly form: 'ping' | 'notice'
  readonly text: string
  readonly turn: TurnId | null
  readonly embed?: Embed
  /** Of whoever writes it; a ping has more, see `pingChoices`. */
  readonly choices?: readonly Choice[]
  /** Of a ping: whether less of it can be asked for. */
  readonly hasJob?: boolean
}

export function intendUnasked(writing: Writing, message: Unasked): Position {
  const { choices: own = [], hasJob = false } = message
  const number = lastNumber(writing, message.to) + 1
  const choices = message.form === 'ping' ? [...own, ...pingChoices(number, hasJob)] : own
  return writing.append({ ...draftOf(message, choices), number })
}

/** Somebody waits for it after all: it needs no number, and has its own choices only. */
export function intendAnswer(writing: Writing, message: Unasked): Position {
  return writing.append(draftOf(message, message.choices ?? []))
}

function draftOf(message: Unasked, choices: readonly Choice[]): DraftOf<'delivery-intended'> {
  const { branch, at, to, form, text, turn, embed } = message
  return {
    kind: 'delivery-intended',
    v: 1,
    branch,
    at,
    to,
    form,
    text,
    turn,
    ...(embed !== undefined && { embed }),
    ...(choices.length > 0 && { choices: [...choices] }),
  }
}

/** What can be said to any ping with one press, by its number. */
export function pingChoices(number: number, hasJob: boolean): Choice[] {
  const all = [
    { label: 'Done', command: `/done ${number}` },
    { label: 'Snooze 10 min', command: `/snooze ${number} 10m` },
    { label: 'Snooze 1 h', command: `/snooze ${number} 1h` },
    { label: 'Snooze tomorrow', command: `/snooze ${number} tomorrow` },
  ]
  return hasJob ? [...all, { label: 'Less of this', command: `/less ${number}` }] : all
}

/** Without what every ping has: a model's own choices are words and never a command (SAFE4). */
export function ownChoices(choices: readonly Choice[]): Choice[] {
  return choices.filter(({ command }) => !command.startsWith('/'))
}

/** Where the person wrote last to whom this branch belongs: to its main session, or to anything below that. */
export function personOf(reader: Reader, branch: BranchId): Address | undefined {
  const source = heardIn(reader, branch)
  if (source === undefined) return personNear(reader, branch)
  return { channel: source.channel, conversation: source.conversation }
}

/** Who wrote last there, and where. */
export function heardIn(reader: Reader, branch: BranchId): PersonSource | undefined {
  const source = newest(reader, 'heard', mainOrSelf(reader, branch))?.source
  return source?.from === 'person' ? source : undefined
}
