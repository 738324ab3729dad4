import type { ContextKind, Event, EventOf, Kind } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import { allRows, type Folds, type Projection, type Table, type Writer } from '../event/table.ts'
import {
  findBranch,
  getBranch,
  isHandleTaken,
  putBranch,
  putNewBranch,
  refuse,
  type Branch,
} from './branch.ts'
import { joinLiving, leaveLiving } from './living.ts'
import { lastMessage } from './message-index.ts'
import { hasElsewhere, isElsewhere } from './origin.ts'
import { isOpen } from './step.ts'
import * as tables from './tables.ts'
import {
  callTable,
  markTable,
  messageTable,
  ownMainTable,
  saveTable,
  summaryOriginTable,
  type BranchState,
} from './tables.ts'
import { versionAt, type ChangeEvent } from './version.ts'

/** The effect of each event on a context; every kind about contexts is here. */
const folds: Required<Pick<Folds, ContextKind | 'conversation-bound' | 'person-added' | 'import-closed'>> = {
  'branch-created': createBranch,
  'branch-ended': (event, writer) => putEnded(writer, openBranch(event, writer), event),
  'message-added': checkMessage,
  'turn-started': startTurn,
  'turn-ended': endTurn,
  'mark-set': (event, writer) => {
    openBranch(event, writer)
    const { branch, position, name, behind = null } = event
    writer.put(markTable, { branch, position, name, behind })
  },
  'context-saved': (event, writer) => {
    writer.put(saveTable, { target: event.branch, position: event.position, source: event.source })
    changeContext(event, writer)
  },
  'context-cleared': changeContext,
  'context-compacted': changeContext,
  'context-expanded': changeContext,
  'context-undone': undo,
  'context-redone': redo,
  'compaction-abandoned': openBranch,
  'conversation-bound': openBranch,
  'person-added': giveMain,
  'import-closed': closeImport,
}

const MESSAGE_TABLES: readonly Table[] = [messageTable, callTable, summaryOriginTable]

/** Folds events into branches and marks. It copies decisions and makes none (CTX1). */
export const contextProjection: Projection = {
  name: 'context',
  version: 6,
  tables: Object.values(tables).filter((table) => !MESSAGE_TABLES.includes(table)),
  apply(event, writer) {
    const fold = (folds as Folds)[event.kind]
    if (fold === undefined) getBranch(writer, event.branch)
    else fold(event as never, writer)
  },
}

/** Folds messages into their index, a few events behind: a message costs the disk one page instead of two. */
const messageProjection: Projection = {
  name: 'message',
  version: 4,
  tables: MESSAGE_TABLES,
  follows: true,
  apply: applyMessage,
}

/** Every projection that contexts are read from. */
export const contextProjections: readonly Projection[] = [contextProjection, messageProjection]

function giveMain(event: EventOf<'person-added'>, writer: Writer): void {
  const { main: branch, person } = event
  if (getBranch(writer, branch).mode !== 'main') refuse(event, `${branch} is no main session`)
  if (writer.row(ownMainTable, [branch]) !== undefined) refuse(event, `${branch} is somebody's already`)
  writer.put(ownMainTable, { branch, person })
}

function createBranch(event: EventOf<'branch-created'>, writer: Writer): void {
  if (findBranch(writer, event.branch) !== undefined) refuse(event, `branch ${event.branch} exists already`)
  if (isHandleTaken(writer, event.branch)) refuse(event, `another branch has the handle of ${event.branch}`)
  if (event.parent !== null) getBranch(writer, event.parent)
  const branch: Branch = {
    id: event.branch,
    mode: event.mode,
    title: event.title,
    parent: event.parent,
    forkedAt: event.position,
    version: event.position,
    redo: [],
    state: { kind: 'idle', last: null },
    heldSince: null,
  }
  putNewBranch(writer, branch)
  joinLiving(writer, branch)
}

function putEnded(
  writer: Writer,
  branch: Branch,
  { reason, position }: Pick<EventOf<'branch-ended'>, 'reason' | 'position'>,
): void {
  const ended: Branch = { ...branch, state: { kind: 'ended', reason, endedAt: position } }
  putBranch(writer, ended)
  leaveLiving(writer, ended)
}

/** Ends what would go on by itself: running turns, and every branch that is not a main session. Children come first. */
function closeImport({ position }: EventOf<'import-closed'>, writer: Writer): void {
  const living = [...allRows(writer, tables.branchTable, { prefix: [] })]
    .map(({ id }) => getBranch(writer, id))
    .filter(({ state }) => state.kind !== 'ended')
    .toSorted((one, other) => other.forkedAt - one.forkedAt)
  for (const branch of living) {
    if (branch.mode !== 'main') putEnded(writer, branch, { reason: 'discarded', position })
    else putBranch(writer, { ...branch, state: { kind: 'idle', last: null } })
  }
}

function checkMessage(event: EventOf<'message-added'>, writer: Writer): void {
  const { state } = openBranch(event, writer)
  const running = state.kind === 'running' ? state.turn : null
  if (event.turn !== running) {
    refuse(event, `it belongs to ${event.turn ?? 'no turn'}, but ${running ?? 'no turn'} is running`)
  }
}

function startTurn(event: EventOf<'turn-started'>, writer: Writer): void {
  const { state } = openBranch(event, writer)
  if (state.kind !== 'idle') refuse(event, 'another turn is still running')
  const { turn, position, continues } = event
  const since = continues !== null && state.last?.turn === continues ? state.last.since : position
  updateBranch(event, writer, { state: { kind: 'running', turn, startedAt: position, since } })
}

function endTurn(event: EventOf<'turn-ended'>, writer: Writer): void {
  const { state } = openBranch(event, writer)
  if (state.kind !== 'running' || state.turn !== event.turn)
    refuse(event, `turn ${event.turn} is not running`)
  const { outcome, retryAt } = event
  const { turn, since } = state
  const retry = retryAt === undefined ? {} : { retryAt }
  const last = { turn, since, outcome, endedAt: event.position, ...retry }
  updateBranch(event, writer, { state: { kind: 'idle', last } })
}

function changeContext(event: ChangeEvent, writer: Writer): void {
  const branch = openBranch(event, writer)
  if (event.prev !== branch.version) refuse(event, `it follows version ${event.prev}, not ${branch.version}`)
  const state = event.kind === 'context-cleared' ? stateAfter(event, branch.state) : branch.state
  const held = heldBy(event.kind, event.position)
  updateBranch(event, writer, { version: event.position, redo: [], state, ...held })
}

function undo(event: EventOf<'context-undone'>, writer: Writer): void {
  const branch = openBranch(event, writer)
  if (event.undone !== branch.version)
    refuse(event, `it undoes version ${event.undone}, not ${branch.version}`)
  const { prev } = versionAt(writer, event.undone)
  const { kind } = writer.event(event.undone)
  if (prev !== event.version)
    refuse(event, `before version ${event.undone} came ${prev}, not ${event.version}`)
  const state = parted(branch.state)
  // An expand counts too: a person who switches between the two wants to keep both.
  const isOpening = kind === 'context-compacted' || kind === 'context-expanded'
  const held = isOpening ? { heldSince: event.position } : {}
  const redo = [...branch.redo, event.undone]
  updateBranch(event, writer, { version: event.version, redo, state, ...held })
}

function redo(event: EventOf<'context-redone'>, writer: Writer): void {
  const branch = openBranch(event, writer)
  if (branch.redo.at(-1) !== event.version)
    refuse(event, `version ${event.version} was not the last one undone`)
  const state = parted(branch.state)
  const held = heldBy(writer.event(event.version).kind, event.position)
  const redo = branch.redo.slice(0, -1)
  updateBranch(event, writer, { version: event.version, redo, state, ...held })
}

/** An opened summary stays open for a while; any compaction ends that. */
function heldBy(change: Kind, position: Position): Partial<Branch> {
  if (change === 'context-expanded') return { heldSince: position }
  return change === 'context-compacted' ? { heldSince: null } : {}
}

/** Work whose answer was dropped goes on by itself: its question is open again. */
function stateAfter({ drops }: EventOf<'context-cleared'>, state: BranchState): BranchState {
  if (drops !== 'answer' || state.kind !== 'idle' || state.last === null) return parted(state)
  const { turn, since, endedAt } = state.last
  return { kind: 'idle', last: { turn, since, endedAt, outcome: 'interrupted' } }
}

/** A list that was cut between turns separates the next turn from the one before: the cut part must not come back. */
function parted(state: BranchState): BranchState {
  return state.kind === 'idle' ? { kind: 'idle', last: null } : state
}

function updateBranch(event: Event, writer: Writer, change: Partial<Branch>): void {
  putBranch(writer, { ...openBranch(event, writer), ...change })
}

function openBranch(event: Event, writer: Writer): Branch {
  const branch = findBranch(writer, event.branch)
  if (branch === undefined) refuse(event, `branch ${event.branch} was never created`)
  if (branch.state.kind === 'ended') refuse(event, `branch ${event.branch} has ended and writes nothing more`)
  return branch
}

function applyMessage(event: Event, writer: Writer): void {
  if (event.kind === 'message-added') indexMessage(event, writer)
  if (event.kind === 'context-compacted') indexSummaries(event, writer)
  if (event.kind === 'turn-ended' && (lastMessage(writer, event.branch)?.open ?? 0) > 0) {
    refuse(event, 'calls of this turn have no result yet')
  }
}

function indexMessage(event: EventOf<'message-added'>, writer: Writer): void {
  const before = lastMessage(writer, event.branch)
  writer.put(messageTable, {
    branch: event.branch,
    position: event.position,
    ordinal: (before?.ordinal ?? 0) + 1,
    tokens: (before?.tokens ?? 0) + event.tokens,
    open: openAfter(event, writer, before?.open ?? 0),
    elsewhere: (before?.elsewhere ?? 0) + (isElsewhere(writer, event) ? 1 : 0),
  })
}

function indexSummaries(
  { position: summary, summaries, elsewhere }: EventOf<'context-compacted'>,
  writer: Writer,
): void {
  for (const [part, { covers }] of summaries.entries()) {
    const isElsewhere = elsewhere === true || hasElsewhere(writer, covers)
    writer.put(summaryOriginTable, { summary, part, elsewhere: isElsewhere ? 1 : 0 })
  }
}

/** Nothing else may come between a call and its last result (CTX3). */
function openAfter(event: EventOf<'message-added'>, writer: Writer, open: number): number {
  const { message } = event
  if (message.role === 'tool') {
    if (!isOpen(writer, event.branch, message.call))
      refuse(event, `a result without its call (${message.call})`)
    writer.put(callTable, { branch: event.branch, call: message.call, is_open: 0 })
    return open - 1
  }
  if (open > 0) refuse(event, `a ${message.role} message between a call and its result (${open} are missing)`)
  if (message.role !== 'assistant') return 0
  const ids = new Set(message.calls.map(({ id }) => id))
  if (ids.size < message.calls.length) refuse(event, 'two of its calls have the same id')
  for (const call of ids) writer.put(callTable, { branch: event.branch, call, is_open: 1 })
  return message.calls.length
}
