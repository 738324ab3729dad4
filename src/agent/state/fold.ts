import { openTurn, turnsIn } from './turn-number.ts'
import { drawnFolds } from './approvals.ts'
import { getBranch, refuse } from '../../context/branch.ts'
import { branchTable } from '../../context/tables.ts'
import type { Event, EventOf } from '../../event/event.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import { allRows, fromJson, toJson, type Folds, type Projection, type Writer } from '../../event/table.ts'
import type { Address, PersonSource } from '../../event/work.ts'
import { causeFolds, rootOfMail } from './cause.ts'
import { rootFolds } from './root.ts'
import { firstWaiting, isCommand, isUnread, newestUnread } from './inbox.ts'
import { homeModelFolds } from './home-model.ts'
import { jobFolds } from './fold-jobs.ts'
import { addressKey, outboxFolds } from './outbox.ts'
import { pingFolds } from './fold-pings.ts'
import { rightFolds } from './fold-rights.ts'
import { peopleFolds } from './fold-people.ts'
import { runFolds } from './fold-runs.ts'
import { addSpent, dayKey } from './spent.ts'
import { aboutPerson, forgetNewest, putNewest } from './newest.ts'
import * as tables from './tables.ts'
import { mainOrSelf, personIn } from './person.ts'

/** Folds inboxes, mail, turns and model usage. */
const workFolds: Folds = {
  'inbound-admitted': admit,
  'inbound-moved': move,
  'message-added': (event, writer) => {
    if (event.took !== undefined) take(event, event.took, writer)
  },
  'command-run': runCommand,
  'mail-sent': (event, writer) => {
    const { branch, position, from } = event
    writer.put(tables.mailTable, { branch, position, sender: from, root: rootOfMail(writer, event) })
  },
  'mail-read': readMail,
  'conversation-bound': bind,
  'content-kept': ({ hash, position }, writer) => writer.put(tables.contentTable, { hash, position }),
  'turn-started': startTurn,
  'turn-ended': endTurn,
  'model-called': called,
  'model-answered': answered,
  'model-used': (event, writer) => addSpent(writer, event),
  'setup-changed': (event, writer) =>
    putNewest(writer, event, { what: 'setup', about: aboutPerson(event.person) }),
  'policy-set': (event, writer) => putNewest(writer, event, { what: 'policy', about: event.branch }),
  'spending-noted': (event, writer) =>
    putNewest(writer, event, { what: event.what, about: dayKey(writer, event) }),
  'import-closed': closeImport,
}

/** What a chat shows besides messages: in the branch it is about, or in that which a fork left. */
const momentFolds: Folds = {
  'command-run': putMoment,
  'mark-set': putMoment,
  'context-cleared': putMoment,
  'context-compacted': putMoment,
  'context-expanded': putMoment,
  'context-saved': putMoment,
  'context-undone': putMoment,
  'context-redone': putMoment,
  'delivery-intended': (event, writer) => {
    if (event.form === 'question' || event.form === 'notice') putMoment(event, writer)
    // A run has no reader: its pings are seen where its person talks.
    else if (event.form === 'ping') putMoment(event, writer, mainOrSelf(writer, event.branch))
  },
  'branch-created': putInParent,
  'branch-ended': putInParent,
}

function putMoment(event: Event, writer: Writer, branch = event.branch): void {
  writer.put(tables.momentTable, { branch, position: event.position })
}

/** Background runs are no moments: a chat shows their pings and reports. */
function putInParent(event: EventOf<'branch-created' | 'branch-ended'>, writer: Writer): void {
  const { branch, position, kind } = event
  const { parent, mode } = getBranch(writer, branch)
  if (parent === null || (mode !== 'fork' && mode !== 'child')) return
  putMoment(event, writer, parent)
  if (kind === 'branch-ended') writer.put(tables.endedTable, { parent, position })
}

const fileFolds: Folds = {
  'inbound-admitted': nameFiles,
  'message-added': ({ branch, message }, writer) => {
    if (message.role === 'user') nameFiles({ branch, ...message }, writer)
  },
  'delivery-intended': nameFiles,
}

function nameFiles(
  { branch, files = [] }: Pick<EventOf<'inbound-admitted'>, 'branch' | 'files'>,
  writer: Writer,
): void {
  for (const { hash } of files)
    if (hash !== null) writer.put(tables.fileTable, { hash, person: personIn(writer, branch) })
}

const allFolds = [
  fileFolds,
  momentFolds,
  workFolds,
  // Before the causes: a /retry is a root of its own, and the work goes on for the person who asked.
  homeModelFolds,
  outboxFolds,
  drawnFolds,
  causeFolds,
  rootFolds,
  rightFolds,
  runFolds,
  pingFolds,
  jobFolds,
  peopleFolds,
]

/** Folds the agent's events into all the tables it reads. */
export const agentProjection: Projection = {
  name: 'agent',
  version: 36,
  tables: Object.values(tables),
  apply(event, writer) {
    for (const folds of allFolds) folds[event.kind]?.(event as never, writer)
  },
}

function admit(event: EventOf<'inbound-admitted'>, writer: Writer): void {
  const { branch, position, form, source, notBefore: not_before = null } = event
  writer.put(tables.inboundTable, { branch, position, form, source: source.from, edited: null, not_before })
  const isHere = source.from === 'person' && source.isText !== true
  putInbox(writer, branch, isHere ? source : undefined)
  if (source.from !== 'person') return
  hear(event, source, writer)
  if (isHere && !isCommand(event))
    putNewest(writer, event, { what: 'wrote', about: mainOrSelf(writer, branch) })
  rememberKey(event, source, writer)
}

function runCommand(event: EventOf<'command-run'>, writer: Writer): void {
  if (event.took !== null) take(event, event.took, writer)
  if (event.source === null) return
  hear(event, event.source, writer)
  rememberKey(event, event.source, writer)
}

/** The person who wrote last is answered where they wrote. A command does not change that. */
function hear(
  event: EventOf<'inbound-admitted' | 'command-run'>,
  { person, isOrder, isText }: PersonSource,
  writer: Writer,
): void {
  if (isOrder === true || isText === true) return
  putNewest(writer, event, { what: 'spoke', about: person })
  putNewest(writer, event, { what: 'heard', about: mainOrSelf(writer, event.branch) })
}

/** From now on this branch answers the people who talk to it there, even before their first message. */
function bind(event: EventOf<'conversation-bound'>, writer: Writer): void {
  const { channel, conversation, branch } = event
  writer.put(tables.bindingTable, { channel, conversation, branch })
  putNewest(writer, event, { what: 'bound', about: addressKey(event) })
  putInbox(writer, branch, event)
}

const NOWHERE = { channel: null, conversation: null }

function putInbox(writer: Writer, branch: BranchId, person: Address | undefined): void {
  const before = writer.row(tables.inboxTable, [branch])
  const { channel, conversation } = person ?? before ?? NOWHERE
  writer.put(tables.inboxTable, { branch, taken_to: before?.taken_to ?? 0, channel, conversation })
}

function rememberKey({ position }: Event, source: PersonSource, writer: Writer): void {
  const { channel, conversation, parts = [] } = source
  for (const key of source.key === null ? [] : [source.key, ...parts])
    if (writer.row(tables.inboundKeyTable, [channel, conversation, key]) === undefined)
      writer.put(tables.inboundKeyTable, { channel, conversation, key, position })
}

function take(event: Event, took: Position, writer: Writer): void {
  const first = firstWaiting(writer, event.branch)
  if (first?.position !== took)
    refuse(event, `it took ${took} out of the inbox, where ${first?.position ?? 'nothing'} is first`)
  const inbox = writer.row(tables.inboxTable, [event.branch]) ?? { branch: event.branch, ...NOWHERE }
  writer.put(tables.inboxTable, { ...inbox, taken_to: took })
}

function move(event: EventOf<'inbound-moved'>, writer: Writer): void {
  const there = event.to < event.position ? writer.event(event.to) : undefined
  const isElsewhere =
    there?.kind === 'inbound-admitted' && (there.branch !== event.branch || isPutOff(event, there, writer))
  if (!isElsewhere) refuse(event, `nothing was admitted to another branch at ${event.to}`)
  take(event, event.took, writer)
}

/** A model's command is admitted again at the end of the same inbox, after the person's messages. */
function isPutOff(
  { took }: EventOf<'inbound-moved'>,
  there: EventOf<'inbound-admitted'>,
  writer: Writer,
): boolean {
  const before = there.position > took ? writer.event(took) : undefined
  if (before?.kind !== 'inbound-admitted' || before.source.from !== 'host') return false
  return there.source.from === 'host' && isCommand(there) && there.text === before.text
}

function readMail(event: EventOf<'mail-read'>, writer: Writer): void {
  if (!isUnread(writer, event.branch, event.upTo)) refuse(event, `there is no unread mail at ${event.upTo}`)
  writer.put(tables.mailboxTable, { branch: event.branch, read_to: event.upTo })
}

function startTurn(event: EventOf<'turn-started'>, writer: Writer): void {
  const { turn, branch, position, continues, version } = event
  const before = continues === null ? undefined : writer.row(tables.turnTable, [continues])
  const number = turnsIn(writer, branch) + 1
  const since = before?.since ?? position
  writer.put(tables.turnTable, { turn, branch, number, position, since, outcome: null, answer: null })
  writer.put(tables.turnNumberTable, { branch, number, turn, version, used: null })
}

function endTurn({ turn, outcome }: EventOf<'turn-ended'>, writer: Writer): void {
  const started = writer.row(tables.turnTable, [turn])
  if (started !== undefined) writer.put(tables.turnTable, { ...started, outcome })
}

function called({ turn, call, position, version }: EventOf<'model-called'>, writer: Writer): void {
  writer.put(tables.modelCallTable, { turn, call, position, answered: null })
  const row = numberedTurn(writer, turn)
  if (row !== undefined && row.version !== version) writer.put(tables.turnNumberTable, { ...row, version })
}

function answered(event: EventOf<'model-answered'>, writer: Writer): void {
  const { turn, call, at, model, cost } = event
  const row = writer.row(tables.modelCallTable, [turn, call])
  if (row === undefined) refuse(event, `call ${call} of ${turn} was never made`)
  writer.put(tables.modelCallTable, { ...row, answered: event.position })
  addSpent(writer, event)
  const numbered = numberedTurn(writer, turn)
  if (numbered === undefined) return
  const before = numbered.used === null ? null : fromJson(numbered.used)
  const { tokensIn, tokensCached } = event.usage
  const all = before?.cost == null ? cost : before.cost + (cost ?? 0)
  const calls = (before?.calls ?? 0) + 1
  const used = toJson({ at, model, calls, tokensIn, tokensCached, cost: all })
  writer.put(tables.turnNumberTable, { ...numbered, used })
}

function numberedTurn(writer: Writer, turn: TurnId) {
  const row = writer.row(tables.turnTable, [turn])
  return row && writer.row(tables.turnNumberTable, [row.branch, row.number])
}

/** Nothing that was imported waits to be taken, read or continued, and nobody in it was heard (SAFE5). */
function closeImport(event: EventOf<'import-closed'>, writer: Writer): void {
  const { position } = event
  for (const { branch } of allRows(writer, tables.inboxTable, { prefix: [] }))
    writer.put(tables.inboxTable, { branch, taken_to: position, ...NOWHERE })
  for (const { id: branch, forked_at } of allRows(writer, branchTable, { prefix: [] })) {
    // A rebuild folds branches first, so those that came later are there already.
    if (forked_at > position) continue
    if (newestUnread(writer, branch) !== undefined)
      writer.put(tables.mailboxTable, { branch, read_to: position })
    const running = openTurn(writer, branch)
    if (running !== undefined) writer.put(tables.turnTable, { ...running, outcome: 'stopped' })
  }
  forgetNewest(writer, event)
}
