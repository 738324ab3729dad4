import type { RepliedTo } from '../../channel/channel.ts'
import { cutText } from '../../base/words.ts'
import { getBranch } from '../../context/branch.ts'
import { headOf } from '../../context/message-index.ts'
import { branchNames } from '../../context/naming.ts'
import { fence } from '../../event/fence.ts'
import type { EventOf } from '../../event/event.ts'
import { handleOf, type BranchId, type Position } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Address, PersonSource } from '../../event/work.ts'
import { type Actor, type Said, ok } from '../contract/act.ts'
import { embedText } from './embed-text.ts'
import { addressKey } from '../state/outbox.ts'
import { runAbove, runIn, runName } from '../state/run.ts'
import { bindTo, boundTo, personIn } from '../state/person.ts'
import { numberedTable, replyForkTable, sentTable } from '../state/tables.ts'
import { actEnter, FORK_CHOICES, howItEnds, openFork } from './enter-act.ts'

type Delivery = EventOf<'delivery-intended'>

const REPLY_MS = 7 * 24 * 60 * 60 * 1000
const EXPIRED = 'this session has expired — starting fresh with quoted context'

/** The unasked message with this number in a conversation. */
export function messageNumbered(reader: Reader, address: Address, number: number): Delivery | undefined {
  return deliveryAt(reader, reader.row(numberedTable, [addressKey(address), number])?.position)
}

/** The message of ours that somebody replies to. */
export function messageSent(
  reader: Reader,
  { channel, conversation }: Address,
  { messageId, delivery }: RepliedTo,
): Delivery | undefined {
  const sent = delivery ?? reader.row(sentTable, [channel, conversation, messageId])?.position
  return deliveryAt(reader, sent)
}

function deliveryAt(reader: Reader, position: Position | undefined): Delivery | undefined {
  const event = position && reader.event(position)
  return event?.kind === 'delivery-intended' ? event : undefined
}

/** Where a reply goes, and the text that must come before its words there. */
export interface ReplyPlace extends Said {
  readonly branch: BranchId
  readonly before: readonly string[]
}

interface Replying {
  readonly to: Delivery
  readonly source: PersonSource
}

/**
 * A reply to a background run's message goes to a fork with a copy of what the run saw (FORK5): a new one, or the one
 * that an earlier reply opened. If another fork is open, or the message is too old, it is quoted instead. Any other
 * message is quoted where the person talks.
 */
export function actReply(writing: Writing, actor: Actor, { to, source }: Replying): ReplyPlace {
  const before = [quote(to)]
  const here = { branch: actor.branch, before }
  // What a run of another person saw is not for this one (PEOPLE2).
  const isTheirs = personIn(writing, to.branch) === personIn(writing, actor.branch)
  if (!isTheirs || runAbove(writing, to.branch) === undefined) return { ...ok(''), ...here }
  const known = writing.row(replyForkTable, [to.branch])?.branch
  const open = openFork(writing, source)
  const isKnownOpen = known !== undefined && getBranch(writing, known).state.kind !== 'ended'
  const fork = open !== undefined && open !== known ? open : isKnownOpen ? known : undefined
  if (fork !== undefined) {
    const wasThere = boundTo(writing, source) === fork
    if (!wasThere) bindTo(writing, source, { ...actor, branch: fork })
    const words = fork === known ? goesOn : addedTo
    return { ...ok(words(fork, wasThere)), branch: fork, before }
  }
  if (actor.at - to.at > REPLY_MS) return { ...ok(EXPIRED), ...here }
  return openReply(writing, actor, { to, source })
}

function addedTo(fork: BranchId, wasThere: boolean): string {
  const handle = handleOf(fork)
  return wasThere
    ? `You are in the fork ${handle}: your reply was added there, with the message quoted.`
    : `The fork ${handle} is open, and only one can be open at a time: your reply was added there, with the message quoted. You are in it now.`
}

function goesOn(fork: BranchId, wasThere: boolean): string {
  const handle = handleOf(fork)
  return wasThere
    ? `Your reply goes on in the fork ${handle}.`
    : `You are in the fork ${handle} again, which your first reply opened.`
}

function openReply(writing: Writing, actor: Actor, { to, source }: Replying): ReplyPlace {
  const { branch: replied } = to
  const before = [quote(to)]
  const copy = { of: replied, topic: null, step: viewEnd(writing, replied) }
  const entered = actEnter(writing, actor, { source, how: 'reply', idleMs: null, replied, ...copy })
  if (entered.child === undefined) {
    const text = `${entered.text}\nYour reply was added here, with the message quoted.`
    return { ...ok(text), branch: actor.branch, before }
  }
  const what = senderName(writing, replied)
  const text = `You are in the fork ${handleOf(entered.child)} now, which knows what ${what} did. ${howItEnds(writing)}`
  return { ...ok(text), choices: FORK_CHOICES, branch: entered.child, before }
}

/** After its last complete step: a step in progress has no results yet. */
export function viewEnd(reader: Reader, branch: BranchId): Position {
  const { version } = getBranch(reader, branch)
  return (Math.max(headOf(reader, branch) ?? 0, version) + 1) as Position
}

/** The sender of a message, as people call it: `routine morning-brief`, `child k3f9ab`. */
export function senderName(reader: Reader, branch: BranchId): string {
  const run = runIn(reader, branch)
  if (run !== undefined) return runName(run)
  const { mode } = getBranch(reader, branch)
  return mode === 'main' ? branchNames(reader)(branch) : `${mode} ${handleOf(branch)}`
}

const QUOTE_CHARS = 500

/** The message replied to, quoted as data: a model may have copied it from anywhere. */
export function quote({ text, embed }: Pick<RepliedTo, 'text' | 'embed'>): string {
  const words = embed === undefined ? (text ?? '') : embedText(embed)
  return `The person replies to this message:\n${fence('message', cutText(words.trim(), QUOTE_CHARS))}`
}
