import { findBranch, refuse } from '../../context/branch.ts'
import type { Event, EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import { allRows, toJson, type Folds, type RowOf, type Writer } from '../../event/table.ts'
import { putNewest } from './newest.ts'
import { addressKey, lastNumber } from './outbox.ts'
import { toldOf } from './updates.ts'
import { nameOfRun } from './jobs.ts'
import { isSideJob } from './run.ts'
import { personOf } from '../../event/speaker.ts'
import {
  firingTable,
  forkTable,
  numberedTable,
  openForkTable,
  peekTable,
  replyForkTable,
  runStartTable,
  runTable,
  updatesShownTable,
  updateTable,
} from './tables.ts'

/** Folds runs, interactive forks, and updates told to main sessions. */
export const runFolds: Folds = {
  'run-started': startRun,
  // The first turn starts the run's clock.
  'turn-started': ({ branch, at }, writer) =>
    changeRun(writer, branch, (run) => ({ begun_at: run.begun_at ?? at })),
  'turn-ended': stopReport,
  'run-sent-back': ({ branch }, writer) =>
    changeRun(writer, branch, (run) => ({ sent_back: run.sent_back + 1 })),
  'run-rested': ({ branch }, writer) => changeRun(writer, branch, () => ({ begun_at: null, is_resting: 1 })),
  'update-reported': ({ from, position }, writer) => {
    if (from !== null) changeRun(writer, from, () => ({ reported: position }))
  },
  'ping-decided': pinged,
  'fork-entered': enter,
  'inbound-admitted': hearInFork,
  'command-run': (event, writer) => {
    if (event.source !== null) hearInFork(event, writer)
  },
  'conversation-bound': bindFork,
  'delivery-intended': numberMessage,
  'message-added': showUpdates,
  'context-saved': (event, writer) => settleAll(event, event.settles ?? [], writer),
  'context-cleared': (event, writer) => reopen(event, writer),
  'context-undone': unsettle,
  'context-redone': settleAgain,
}

const NEW_RUN = {
  begun_at: null,
  pinged: null,
  reported: null,
  pings: 0,
  sent_back: 0,
  is_resting: 0,
} as const

function startRun(event: EventOf<'run-started'>, writer: Writer): void {
  const { branch, position, author } = event
  writer.put(runTable, { ...NEW_RUN, branch, started: position })
  if (isSideJob(event)) return
  writer.put(runStartTable, { person: personOf(event), position })
  // A run that the clock started has a firing of its own.
  if (author.by !== 'policy' || author.name !== 'schedule')
    writer.put(firingTable, { ...nameOfRun(event), position })
}

type RunRow = RowOf<typeof runTable>

function changeRun(writer: Writer, branch: BranchId, change: (run: RunRow) => Partial<RunRow>): void {
  const run = writer.row(runTable, [branch])
  if (run !== undefined) writer.put(runTable, { ...run, ...change(run) })
}

function pinged(event: EventOf<'ping-decided'>, writer: Writer): void {
  const { branch, run, verdict, position, of } = event
  // A ping that is decided again was counted when it was held.
  if (verdict === 'refused' || of !== undefined) return
  if (run === null) return putNewest(writer, event, { what: 'pinged', about: branch })
  changeRun(writer, run, ({ pings }) => ({ pinged: position, pings: pings + 1 }))
}

function enter(event: EventOf<'fork-entered'>, writer: Writer): void {
  const { branch, replied } = event
  putFork(event, writer)
  if (replied !== null) writer.put(replyForkTable, { replied, branch })
}

function putFork({ branch, at, position }: Event, writer: Writer): void {
  writer.put(forkTable, {
    branch,
    heard_at: at,
    asked: 0,
    asked_at: null,
    entered: position,
    report_by: null,
  })
}

/** A person who talks, types a command or returns to a fork resets its clock; the host's questions are counted. */
function hearInFork(
  event: EventOf<'inbound-admitted' | 'command-run' | 'conversation-bound'>,
  writer: Writer,
): void {
  const { branch, at } = event
  const row = writer.row(forkTable, [branch])
  if (row === undefined) return
  if (event.kind !== 'inbound-admitted' || event.source.from === 'person')
    writer.put(forkTable, {
      ...row,
      heard_at: at,
      asked: 0,
      asked_at: null,
      ...(isTalk(event) && { report_by: null }),
    })
  else if (event.source.reportBy !== undefined)
    writer.put(forkTable, { ...row, report_by: event.source.reportBy })
  else if (event.source.tag === 'fork-timeout')
    writer.put(forkTable, { ...row, asked: row.asked + 1, asked_at: at })
}

/** Words, not a command: they keep the fork open. */
function isTalk(event: Event): boolean {
  return event.kind === 'inbound-admitted' && (event.form === 'message' || event.form === 'note')
}

/** A person who stops the turn takes the report back. Later, its time was over. */
function stopReport({ branch, at, outcome }: EventOf<'turn-ended'>, writer: Writer): void {
  const row = writer.row(forkTable, [branch])
  if (outcome !== 'stopped' || row === undefined || row.report_by === null || at >= row.report_by) return
  writer.put(forkTable, { ...row, report_by: null })
}

function bindFork(event: EventOf<'conversation-bound'>, writer: Writer): void {
  const { channel, conversation, branch } = event
  if (findBranch(writer, branch)?.mode !== 'fork') return
  // Earlier releases did not log that a fork was entered: there a fork begins with its first message.
  if (writer.row(forkTable, [branch]) === undefined) putFork(event, writer)
  writer.put(openForkTable, { channel, conversation, branch })
  hearInFork(event, writer)
}

function numberMessage(event: EventOf<'delivery-intended'>, writer: Writer): void {
  const { number, to, position } = event
  if (number === undefined) return
  const address = addressKey(to)
  const next = lastNumber(writer, to) + 1
  if (number !== next) refuse(event, `its number is ${number}, where ${next} comes next`)
  writer.put(numberedTable, { address, number, position })
}

/** A message of the main session settles the updates it shows; any other branch only peeks at them. */
function showUpdates(event: EventOf<'message-added'>, writer: Writer): void {
  const { branch, position, updates } = event
  if (updates === undefined) return
  if (updates.of !== branch) return writer.put(peekTable, { branch, position })
  settleAll(event, updates.shown, writer)
}

function settleAll(event: Event, updates: readonly Position[], writer: Writer): void {
  const { branch, position } = event
  for (const update of updates) {
    const row = writer.row(updateTable, [branch, update])
    if (row === undefined || row.settled !== null) refuse(event, `there is no pending update at ${update}`)
    writer.put(updateTable, { ...row, settled: position })
  }
  if (updates.length > 0) putPending(writer, branch, { less: updates })
}

/** Main is told again what only messages told it that were dropped. */
function reopen({ branch, reopens = [] }: EventOf<'context-cleared'>, writer: Writer): void {
  const more = reopens.flatMap(({ by, updates }) =>
    settledAnew(writer, { branch, updates, from: by, to: null }),
  )
  if (more.length > 0) putPending(writer, branch, { more })
}

/** What was reopened is settled again by the messages that told it, unless main was told since. */
function closeAgain({ branch, reopens = [] }: EventOf<'context-cleared'>, writer: Writer): void {
  const less = reopens.flatMap(({ by, updates }) =>
    settledAnew(writer, { branch, updates, from: null, to: by }),
  )
  if (less.length > 0) putPending(writer, branch, { less })
}

/** Undoing a save takes back what it settled, unless main was told since. */
function unsettle({ branch, undone }: EventOf<'context-undone'>, writer: Writer): void {
  const change = writer.event(undone)
  if (change.kind === 'context-cleared') return closeAgain(change, writer)
  const more = resettle(writer, { branch, save: undone, from: undone, to: null })
  if (more.length > 0) putPending(writer, branch, { more })
}

/** Updates that main was told of meanwhile stay settled by that. */
function settleAgain({ branch, version }: EventOf<'context-redone'>, writer: Writer): void {
  const change = writer.event(version)
  if (change.kind === 'context-cleared') return reopen(change, writer)
  const less = resettle(writer, { branch, save: version, from: null, to: version })
  if (less.length > 0) putPending(writer, branch, { less })
}

/** Among the updates that a save settles, those settled by `from` are now settled by `to`. */
function resettle(
  writer: Writer,
  change: { branch: BranchId; save: Position; from: Position | null; to: Position | null },
): readonly Position[] {
  const { branch, save, from, to } = change
  const event = writer.event(save)
  const updates = event.kind === 'context-saved' ? (event.settles ?? []) : []
  return settledAnew(writer, { branch, updates, from, to })
}

/** Those of these updates that were settled by `from`, and are by `to` now. */
function settledAnew(
  writer: Writer,
  {
    branch,
    updates,
    from,
    to,
  }: { branch: BranchId; updates: readonly Position[]; from: Position | null; to: Position | null },
): readonly Position[] {
  const changed = updates.filter((update) => writer.row(updateTable, [branch, update])?.settled === from)
  for (const position of changed) writer.put(updateTable, { branch, position, settled: to })
  return changed
}

/** Pending updates are kept as a list of their own, so that nobody has to search everything ever told. */
function putPending(
  writer: Writer,
  branch: BranchId,
  { less = [], more = [] }: { less?: readonly Position[]; more?: readonly Position[] },
): void {
  const { shownTo, again } = toldOf(writer, branch)
  const to = less.reduce((newest, one) => Math.max(newest, one), shownTo)
  const passed =
    to === shownTo ? [] : allRows(writer, updateTable, { prefix: [branch], from: shownTo + 1, to })
  const gone = new Set(less)
  const left = [...again, ...more, ...[...passed].map(({ position }) => position)]
    .filter((one) => !gone.has(one))
    .toSorted((one, other) => one - other)
  writer.put(updatesShownTable, { branch, shown_to: to, again: toJson(left) })
}
