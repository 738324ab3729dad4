import { getBranch } from '../../context/branch.ts'
import { headOf } from '../../context/message-index.ts'
import { fence } from '../../event/fence.ts'
import type { EventOf } from '../../event/event.ts'
import { handleOf, type BranchId, type Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address, Embed, PersonSource } from '../../event/work.ts'
import type { Writing } from '../../log/log.ts'
import { done, type Actor, type Said } from '../act.ts'
import { embedText } from '../embed-text.ts'
import { addressKey } from '../outbox.ts'
import { runAbove } from '../run.ts'
import { numberedTable, replyForkTable, sentTable } from '../tables.ts'
import { actEnter, openFork } from './enter-act.ts'

type Delivery = EventOf<'delivery-intended'>

const REPLY_MS = 7 * 24 * 60 * 60 * 1000
const EXPIRED = 'this session has expired — starting fresh with quoted context'

/** The message with this number in a conversation, of those that nobody waited for. */
export function messageNumbered(reader: Reader, address: Address, number: number): Delivery | undefined {
  return deliveryAt(reader, reader.row(numberedTable, [addressKey(address), number])?.['position'])
}

/** The message that a platform knows by this id. */
export function messageSent(
  reader: Reader,
  { channel, conversation }: Address,
  id: string,
): Delivery | undefined {
  return deliveryAt(reader, reader.row(sentTable, [channel, conversation, id])?.['position'])
}

function deliveryAt(reader: Reader, position: unknown): Delivery | undefined {
  if (typeof position !== 'number') return undefined
  const event = reader.event(position as Position)
  return event.kind === 'delivery-intended' ? event : undefined
}

/** Where a reply goes, and what has to stand before its words there. */
export interface ReplyPlace extends Said {
  readonly branch: BranchId
  readonly before: readonly string[]
}

/**
 * A reply to a message of a background run goes to a fork with a copy of what the run saw (FORK5): a new one, or the one
 * that an earlier reply opened. Where a fork is open already, or the message is too old, it is quoted instead.
 */
export function actReply(
  writing: Writing,
  actor: Actor,
  { to, source }: { to: Delivery; source: PersonSource },
): ReplyPlace {
  const here = { branch: actor.branch, before: [quote(to)] }
  const run = runAbove(writing, to.branch)
  if (run === undefined) return { ...done(''), ...here }
  const { branch: replied } = to
  const known = writing.row(replyForkTable, [replied])?.['branch'] as BranchId | undefined
  if (known !== undefined && getBranch(writing, known).state.kind !== 'ended')
    return goOn(writing, actor, { fork: known, source, to })
  const open = openFork(writing, source)
  if (open !== undefined)
    return {
      ...done(`You are in the fork ${handleOf(open)}: your reply was added there, with the message quoted.`),
      branch: open,
      before: [quote(to)],
    }
  if (actor.at - to.at > REPLY_MS) return { ...done(EXPIRED), ...here }
  const step = ((headOf(writing, replied) ?? 0) + 1) as Position
  const entered = actEnter(writing, actor, {
    source,
    how: 'reply',
    idleMs: null,
    replied,
    of: replied,
    topic: null,
    step,
  })
  if (entered.child === undefined) return { ...entered, ...here }
  return {
    ...done(`You are in the fork ${handleOf(entered.child)} now, which knows what ${handleOf(replied)} did.`),
    branch: entered.child,
    before: [quote(to)],
  }
}

function goOn(
  writing: Writing,
  { at, author }: Actor,
  { fork, source, to }: { fork: BranchId; source: PersonSource; to: Delivery },
): ReplyPlace {
  const { channel, conversation } = source
  writing.append({ kind: 'conversation-bound', branch: fork, at, v: 1, channel, conversation, author })
  return {
    ...done(`You are in the fork ${handleOf(fork)} that your last reply opened.`),
    branch: fork,
    before: [quote(to)],
  }
}

const QUOTE_CHARS = 500

/** What is replied to, as data: a model may have written it from what it found anywhere. */
export function quote({ text, embed }: { readonly text?: string; readonly embed?: Embed }): string {
  const words = embed === undefined ? (text ?? '') : embedText(embed)
  const cut = words.length <= QUOTE_CHARS ? words : `${words.slice(0, QUOTE_CHARS).toWellFormed()}…`
  return `The person replies to this message:\n${fence('message', cut)}`
}
