import { counted } from '../../base/words.ts'
import { refuse } from '../../context/branch.ts'
import type { Draft, Event, EventOf } from '../../event/event.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { Folds, Reader, Writer } from '../../event/table.ts'
import type { HostSource } from '../../event/work.ts'
import { ModelError } from '../../model/contract/model.ts'
import { OWNER } from '../../event/speaker.ts'
import { newestUnread, type Admitted } from './inbox.ts'
import { noticesOf } from './jobs.ts'
import { mainOf } from './person.ts'
import { rootAt } from './root.ts'
import { isByHand, isSideJob } from './run.ts'
import type { AgentSettings } from './settings.ts'
import {
  causedTable,
  mailTable,
  modelCallTable,
  reminderRootTable,
  rootTable,
  turnTable,
  unattendedTable,
} from './tables.ts'
import { openTurn } from './turn-number.ts'

/**
 * Every branch works for a root: the message of a person or the firing of a job that its work goes back to. Forks,
 * children, mail and reminders of a model pass the root on, so that everything one root causes in a day is counted
 * together (CAUSE1, CAUSE2).
 */
export const causeFolds: Folds = {
  'branch-created': (event, writer) => {
    begin(event, writer)
    if (event.author.by === 'model') count(writer, event.branch, { branches: 1 })
  },
  'run-started': begin,
  'job-scheduled': ({ what, job, due, root }, writer) => {
    if (what === 'reminder' && due !== null && root !== undefined)
      writer.put(reminderRootTable, { job, due, root })
  },
  'message-added': takeUp,
  // A new count: a person asked for it once more.
  'context-cleared': ({ branch, position, drops }, writer) => {
    if (drops === 'answer') writer.put(rootTable, { branch, root: position })
  },
  'turn-started': startTurn,
  'model-called': (event, writer) => {
    beginDay(writer, event)
    count(writer, event.branch, { calls: 1 })
    countUnattended(writer, event, 1)
  },
  // A provider that is down for days must not use up the ceiling.
  'model-failed': ({ branch, turn, call }, writer) => {
    count(writer, branch, { calls: -1 })
    const made = writer.row(modelCallTable, [turn, call])
    const event = made && writer.event(made.position)
    if (event?.kind === 'model-called') countUnattended(writer, event, -1)
  },
  'call-decided': ({ branch, because }, writer) => {
    // A call that a person was asked about was counted then.
    if (because !== 'person' && because !== 'no-answer') count(writer, branch, { calls: 1 })
  },
  'approval-asked': ({ branch, wish }, writer) => {
    if (wish.kind === 'call') count(writer, branch, { calls: 1 })
  },
  'model-answered': use,
  'model-used': use,
}

/** What a person or the schedule begins is a root; what a model begins is for the root that the model works for. */
function begin(event: EventOf<'branch-created' | 'run-started'>, writer: Writer): void {
  const { branch, author, position } = event
  const by = author.by === 'model' ? writer.row(turnTable, [author.turn])?.branch : undefined
  const given = 'root' in event ? earlier(event, event.root) : undefined
  writer.put(rootTable, { branch, root: given ?? (by && rootOf(writer, by)) ?? position })
}

/** What a person says begins a new count at once; a job's message only if its turn does not say what it is for. */
function takeUp({ branch, took, message }: EventOf<'message-added'>, writer: Writer): void {
  if (took === undefined || message.role === 'note') return
  const source = admittedFrom(writer, took)
  const isRoot = source?.from === 'person' || (isJob(source) && !isTurnRooted(writer, branch))
  if (isRoot) writer.put(rootTable, { branch, root: rootAt(writer, took) })
}

/** In older logs a turn does not say what it is for. */
function isTurnRooted(reader: Reader, branch: BranchId): boolean {
  const turn = openTurn(reader, branch)
  const started = turn && reader.event(turn.position)
  return started?.kind === 'turn-started' && started.root !== undefined
}

/** The task of a fork or a run is no root: it belongs to the cause that began it. */
function isJob(source: Source | undefined): source is HostSource {
  return source?.from === 'host' && (source.tag === 'routine' || source.tag === 'reminder')
}

/** Work that failed or was stopped continues only if a person says so. Mail wakes a branch for its sender's root. */
function startTurn(event: EventOf<'turn-started'>, writer: Writer): void {
  const { branch, position, continues } = event
  const given = earlier(event, event.root)
  if (given !== undefined) return writer.put(rootTable, { branch, root: given })
  const outcome = continues === null ? undefined : writer.row(turnTable, [continues])?.outcome
  if (outcome === 'failed' || outcome === 'stopped') writer.put(rootTable, { branch, root: position })
  const root = continues === null ? rootOfUnread(writer, branch) : undefined
  if (root !== undefined) writer.put(rootTable, { branch, root })
}

function earlier(event: Event, root: Position | undefined): Position | undefined {
  if (root !== undefined && root >= event.position) refuse(event, `its root, ${root}, comes after it`)
  return root
}

function rootOfUnread(reader: Reader, branch: BranchId): Position | undefined {
  const mail = newestUnread(reader, branch)
  return mail === undefined ? undefined : reader.row(mailTable, [branch, mail])?.root
}

/** What a turn is about to work for, with what it finds in the inbox. Undefined: for itself, since a person tries again. */
export function rootOfNextTurn(
  reader: Reader,
  branch: BranchId,
  { continues, takes }: { readonly continues: TurnId | null; readonly takes: readonly Admitted[] },
): Position | undefined {
  const asked = takes.find(({ source }) => source.from === 'person')
  if (asked !== undefined) return rootAt(reader, asked.position)
  const jobs = takes.flatMap(({ source, position }) => (isJob(source) ? (source.root ?? position) : []))
  // The newest: today's firing of a routine must not count for what a reminder beside it goes back to.
  if (jobs.length > 0) return Math.max(...jobs) as Position
  const outcome = continues === null ? undefined : reader.row(turnTable, [continues])?.outcome
  if (outcome === 'failed' || outcome === 'stopped') return undefined
  return (continues === null ? rootOfUnread(reader, branch) : undefined) ?? rootOf(reader, branch)
}

/** The root of a mail: its sender's while that works, and the mail itself if a person sent it. */
export function rootOfMail(reader: Reader, { from, position }: EventOf<'mail-sent'>): Position {
  return (openTurn(reader, from) === undefined ? undefined : rootOf(reader, from)) ?? position
}

type Source = EventOf<'inbound-admitted'>['source']

function admittedFrom(reader: Reader, took: Position): Source | undefined {
  const event = reader.event(took)
  return event.kind === 'inbound-admitted' ? event.source : undefined
}

/** What a reminder that is set in this branch now works for. Undefined: it is a root of its own when it fires. */
export function rootOfReminder(reader: Reader, branch: BranchId): Position | undefined {
  const root = rootOf(reader, branch)
  return root === undefined || isByPerson(reader, root) ? undefined : root
}

/** What the call that set this reminder worked for. The reminder's file does not say it: a model may edit that. */
export function rootOfFiring(reader: Reader, job: string, due: number): Position | undefined {
  return reader.row(reminderRootTable, [job, due])?.root
}

/** Whether a person wanted this work now, and not a job whose time has come. */
function isByPerson(reader: Reader, root: Position): boolean {
  const event = reader.event(root)
  if (event.kind === 'inbound-admitted') return event.source.from === 'person'
  return event.kind !== 'run-started' || isByHand(event) || isSideJob(event)
}

/** What a provider's cache already held was counted when it was first read. */
function use({ branch, usage }: EventOf<'model-answered' | 'model-used'>, writer: Writer): void {
  const { tokensIn, tokensCached, tokensOut } = usage
  count(writer, branch, { tokens: Math.max(0, tokensIn - tokensCached) + tokensOut })
}

type Caused = AgentSettings['causedMax']

const NOTHING = { day: '', calls: 0, tokens: 0, branches: 0 }

/** A call on a later day begins the root's count anew. A clock or a zone that goes back does not. */
function beginDay(writer: Writer, { branch, day }: EventOf<'model-called'>): void {
  const root = rootOf(writer, branch)
  if (root === undefined || day === undefined) return
  if (day > (writer.row(causedTable, [root])?.day ?? '')) writer.put(causedTable, { ...NOTHING, root, day })
}

function count(writer: Writer, branch: BranchId, more: Partial<Caused>): void {
  const root = rootOf(writer, branch)
  if (root === undefined) return
  const { day, calls, tokens, branches } = writer.row(causedTable, [root]) ?? NOTHING
  writer.put(causedTable, {
    root,
    day,
    calls: Math.max(0, calls + (more.calls ?? 0)),
    tokens: tokens + (more.tokens ?? 0),
    branches: branches + (more.branches ?? 0),
  })
}

/** Counts calls of models for which no person waits, whatever job they are for. */
function countUnattended(
  writer: Writer,
  { branch, day }: Pick<EventOf<'model-called'>, 'branch' | 'day'>,
  more: 1 | -1,
): void {
  if (day === undefined || !isUnattended(writer, branch)) return
  writer.put(unattendedTable, { day, calls: Math.max(0, unattendedOn(writer, day) + more) })
}

/** Whether the work of a branch goes back to a job and not to a person. */
export function isUnattended(reader: Reader, branch: BranchId): boolean {
  return rootOfReminder(reader, branch) !== undefined
}

/** How often models were called that day for work that no person asked for then. */
export function unattendedOn(reader: Reader, day: string): number {
  return reader.row(unattendedTable, [day])?.calls ?? 0
}

function rootOf(reader: Reader, branch: BranchId): Position | undefined {
  return reader.row(rootTable, [branch])?.root
}

/** What the root of this branch has caused so far today, in all branches. */
export function causedFor(reader: Reader, branch: BranchId): Caused {
  const root = rootOf(reader, branch)
  return (root === undefined ? undefined : reader.row(causedTable, [root])) ?? NOTHING
}

/** Which of its ceilings the work of this branch has reached, in words; undefined: none of those that stop it. */
export function ceilingWords(
  reader: Reader,
  { branch, day = '' }: { readonly branch: BranchId; readonly day?: string },
  max: Caused,
): string | undefined {
  const root = rootOf(reader, branch)
  return root === undefined ? undefined : ceilingOf(reader, { root, day }, max)
}

/** The same for a root. `day`: the count of an earlier one is over. */
export function ceilingOf(
  reader: Reader,
  { root, day }: { readonly root: Position; readonly day: string },
  max: Caused,
): string | undefined {
  const caused = reader.row(causedTable, [root])
  if (caused === undefined || day > caused.day) return undefined
  const { calls, tokens } = caused
  if (calls >= max.calls) return `${counted(max.calls, 'call')} of models and tools (causedMaxCalls)`
  return tokens >= max.tokens ? `${counted(max.tokens, 'token')} (causedMaxTokens)` : undefined
}

export function causedObstacle(ceiling: string): ModelError {
  return new ModelError(
    'rejected',
    `I stopped: this work reached ${ceiling}, the limit for all that one message or job causes. "go on" continues it`,
  )
}

/** A run waits until the ceiling is raised or a day begins; where people talk, nothing keeps them waiting. */
export function unattendedObstacle(max: number, waitUntil: number | null): ModelError {
  const words = unattendedWords(max)
  if (waitUntil === null) return new ModelError('rejected', `I stopped: ${words}. "go on" continues it`)
  return new ModelError('rate-limited', words, { nextTryAt: waitUntil })
}

/** Tells the owner once a day that jobs wait, and why. */
export function unattendedTold(
  reader: Reader,
  { at, day, max }: { readonly at: number; readonly day: string; readonly max: number },
): Draft[] {
  const branch = mainOf(reader, OWNER)
  const cause = `unattended ${day}`
  const { told, isWaiting } = noticesOf(reader, OWNER, cause)
  if (branch === undefined || told > 0 || isWaiting) return []
  const text =
    `Jobs have called models ${max} times today, as often as they may in a day (unattendedMaxCalls). ` +
    "They wait until tomorrow, and reminders come as their text. I'm here for you as usual."
  return [{ kind: 'notice-raised', branch, at, person: OWNER, cause, text }]
}

function unattendedWords(max: number): string {
  return `today's limit for work that nobody asked for is reached, ${counted(max, 'call')} of models (unattendedMaxCalls)`
}
