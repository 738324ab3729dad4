import { refuse } from '../../context/branch.ts'
import type { Event, EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Projection, Writer } from '../../event/table.ts'
import type { Address, PersonSource } from '../../event/work.ts'
import { firstWaiting, isCommand } from './inbox.ts'
import { isUnread } from './mail.ts'
import { addressKey, firstUnsettled } from './outbox.ts'
import { foldJob } from './fold-jobs.ts'
import { foldPing } from './fold-pings.ts'
import { closeCallApprovals, foldRight } from './fold-rights.ts'
import { beginRun, bindFork, foldRun, hearInFork, numberMessage, showUpdates } from './fold-runs.ts'
import { addSpent } from './spent.ts'
import { putNewest } from './newest.ts'
import {
  agentTables,
  bindingTable,
  contentTable,
  deliveryTable,
  inboundKeyTable,
  inboundTable,
  inboxTable,
  mailboxTable,
  mailTable,
  modelCallTable,
  outboxTable,
  sentTable,
  turnTable,
} from './tables.ts'
import { mainOrSelf } from './person.ts'

/** Folds what an agent did into inboxes, outboxes, mail and the rest that it asks for. */
export const agentProjection: Projection = { name: 'agent', version: 9, tables: agentTables, apply }

function apply(event: Event, writer: Writer): void {
  switch (event.kind) {
    case 'inbound-admitted':
      return admit(event, writer)
    case 'inbound-moved':
      return move(event, writer)
    case 'message-added':
      if (event.took !== undefined) take(event, event.took, writer)
      showUpdates(event, writer)
      return
    case 'command-run':
      if (event.took !== null) take(event, event.took, writer)
      if (event.source === null) return
      hear(event, event.source, writer)
      hearInFork(event, writer)
      return rememberKey(event, event.source, writer)
    case 'delivery-intended':
      return intend(event, writer)
    case 'delivery-done':
    case 'delivery-failed':
      settle(event, writer)
      return foldPing(event, writer)
    case 'mail-sent':
      return writer.put(mailTable, { branch: event.branch, position: event.position, sender: event.from })
    case 'mail-read':
      return readMail(event, writer)
    case 'conversation-bound':
      return bind(event, writer)
    case 'content-kept':
      return writer.put(contentTable, { hash: event.hash, position: event.position })
    case 'turn-started':
      beginRun(event, writer)
      return startTurn(event, writer)
    case 'branch-ended':
      closeCallApprovals(event, writer)
      return foldJob(event, writer)
    case 'turn-ended':
      closeCallApprovals(event, writer)
      return endTurn(event, writer)
    case 'model-called': {
      const { turn, call, position } = event
      return writer.put(modelCallTable, { turn, call, position, answered: null })
    }
    case 'model-answered':
      return answered(event, writer)
    case 'setup-changed':
      return putNewest(writer, event, { what: 'setup' })
    case 'model-used':
      return addSpent(writer, event)
    case 'policy-set':
      return putNewest(writer, event, { what: 'policy', about: event.branch })
    case 'spending-noted':
      return putNewest(writer, event, { what: event.what, about: event.day })
    default:
      foldRight(event, writer)
      foldRun(event, writer)
      foldPing(event, writer)
      foldJob(event, writer)
  }
}

function admit(event: EventOf<'inbound-admitted'>, writer: Writer): void {
  const { branch, position, form, source } = event
  writer.put(inboundTable, { branch, position, form, source: source.from })
  putInbox(writer, branch, source.from === 'person' ? source : undefined)
  hearInFork(event, writer)
  if (source.from !== 'person') return
  hear(event, source, writer)
  if (!isCommand(event)) putNewest(writer, event, { what: 'wrote', about: mainOrSelf(writer, branch) })
  rememberKey(event, source, writer)
}

/** Who wrote last is written to there. An order says nothing of that. */
function hear(
  event: EventOf<'inbound-admitted' | 'command-run'>,
  { person, isOrder }: PersonSource,
  writer: Writer,
): void {
  if (isOrder === true) return
  putNewest(writer, event, { what: 'spoke', about: person })
  putNewest(writer, event, { what: 'heard', about: mainOrSelf(writer, event.branch) })
}

/** Who talks to a branch from now on is answered there, also before saying a word to it. */
function bind(event: EventOf<'conversation-bound'>, writer: Writer): void {
  const { channel, conversation, branch } = event
  writer.put(bindingTable, { channel, conversation, branch })
  putInbox(writer, branch, event)
  bindFork(event, writer)
}

const NOWHERE = { channel: null, conversation: null }

function putInbox(writer: Writer, branch: BranchId, person: Address | undefined): void {
  const before = writer.row(inboxTable, [branch])
  const { channel, conversation } = person ?? before ?? NOWHERE
  writer.put(inboxTable, { branch, taken_to: before?.taken_to ?? 0, channel, conversation })
}

function rememberKey(event: Event, { channel, conversation, key }: PersonSource, writer: Writer): void {
  if (key === null) return
  const known = writer.row(inboundKeyTable, [channel, conversation, key])
  if (known === undefined)
    writer.put(inboundKeyTable, { channel, conversation, key, position: event.position })
}

function take(event: Event, took: Position, writer: Writer): void {
  const first = firstWaiting(writer, event.branch)
  if (first?.position !== took)
    refuse(event, `it took ${took} out of the inbox, where ${first?.position ?? 'nothing'} is first`)
  const inbox = writer.row(inboxTable, [event.branch]) ?? { branch: event.branch, ...NOWHERE }
  writer.put(inboxTable, { ...inbox, taken_to: took })
}

function move(event: EventOf<'inbound-moved'>, writer: Writer): void {
  const there = event.to < event.position ? writer.event(event.to) : undefined
  const isElsewhere =
    there?.kind === 'inbound-admitted' && (there.branch !== event.branch || isPutOff(event, there, writer))
  if (!isElsewhere) refuse(event, `nothing was admitted to another branch at ${event.to}`)
  take(event, event.took, writer)
}

/** A command that a model asked for stands in the same inbox again, behind what a person said. */
function isPutOff(
  { took }: EventOf<'inbound-moved'>,
  there: EventOf<'inbound-admitted'>,
  writer: Writer,
): boolean {
  const before = there.position > took ? writer.event(took) : undefined
  if (before?.kind !== 'inbound-admitted' || before.source.from !== 'host') return false
  return there.source.from === 'host' && isCommand(there) && there.text === before.text
}

function intend(event: EventOf<'delivery-intended'>, writer: Writer): void {
  const address = addressKey(event.to)
  writer.put(deliveryTable, { address, position: event.position })
  numberMessage(event, writer)
  if (writer.row(outboxTable, [address]) === undefined) writer.put(outboxTable, { address, settled_to: 0 })
}

function settle(event: EventOf<'delivery-done' | 'delivery-failed'>, writer: Writer): void {
  const intent = event.intent < event.position ? writer.event(event.intent) : undefined
  if (intent?.kind !== 'delivery-intended') refuse(event, `event ${event.intent} is no intended delivery`)
  const address = addressKey(intent.to)
  const first = firstUnsettled(writer, address)
  if (first !== event.intent) refuse(event, `delivery ${first ?? 'none'} comes first`)
  writer.put(outboxTable, { address, settled_to: event.intent })
  if (event.kind === 'delivery-failed' || event.platformId === null) return
  writer.put(sentTable, { ...intent.to, platform_id: event.platformId, position: event.intent })
}

function readMail(event: EventOf<'mail-read'>, writer: Writer): void {
  if (!isUnread(writer, event.branch, event.upTo)) refuse(event, `there is no unread mail at ${event.upTo}`)
  writer.put(mailboxTable, { branch: event.branch, read_to: event.upTo })
}

function startTurn({ turn, branch, position, continues }: EventOf<'turn-started'>, writer: Writer): void {
  const before = continues === null ? undefined : writer.row(turnTable, [continues])
  writer.put(turnTable, { turn, branch, position, since: before?.since ?? position, outcome: null })
}

function endTurn({ turn, outcome }: EventOf<'turn-ended'>, writer: Writer): void {
  const started = writer.row(turnTable, [turn])
  if (started !== undefined) writer.put(turnTable, { ...started, outcome })
}

function answered(event: EventOf<'model-answered'>, writer: Writer): void {
  const row = writer.row(modelCallTable, [event.turn, event.call])
  if (row === undefined) refuse(event, `call ${event.call} of ${event.turn} was never made`)
  writer.put(modelCallTable, { ...row, answered: event.position })
  addSpent(writer, event)
}
