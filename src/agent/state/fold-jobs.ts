import type { Event, EventOf } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import { jobKinds, type JobName } from '../../event/job.ts'
import { allRows, toJson, type Folds, type RowOf, type Writer } from '../../event/table.ts'
import { refuse } from '../../context/branch.ts'
import {
  callKey,
  callsWaiting,
  FAILURE,
  firstCall,
  nameOfRun,
  noticesOf,
  RECOVERY,
  sameCall,
  type Notices,
} from './jobs.ts'
import { putNewest } from './newest.ts'
import { addOpen, dropOpen, openList } from './ledger.ts'
import { runIn } from './run.ts'
import {
  callTable,
  definitionProblemTable,
  firedTable,
  firingTable,
  inboundKeyTable,
  jobTable,
  noticeTable,
  pauseTable,
  webhookTable,
  type Open,
} from './tables.ts'

/** Folds jobs, pauses and the host's notices. */
export const jobFolds: Folds = {
  'job-scheduled': schedule,
  'job-fired': fire,
  'job-skipped': fire,
  'webhook-received': receive,
  'branch-ended': endOfRun,
  'run-rested': endOfRun,
  'jobs-paused': ({ one, position }, writer) => writer.put(pauseTable, { ...named(one), paused: position }),
  'jobs-resumed': ({ one }, writer) => writer.put(pauseTable, { ...named(one), paused: null }),
  'definition-judged': ({ file, problem }, writer) =>
    writer.put(definitionProblemTable, { file, problem: problem && toJson(problem) }),
  'zone-set': (event, writer) => putNewest(writer, event, { what: 'zone' }),
  'digest-sent': (event, writer) => putNewest(writer, event, { what: 'digest', about: event.person }),
  'notice-raised': raise,
  'notices-told': markTold,
  'import-closed': closeImport,
}

function named(one: JobName | null): Pick<RowOf<typeof pauseTable>, 'what' | 'job'> {
  return { what: one?.what ?? '', job: one?.job ?? '' }
}

const NEW_JOB = { schedule: null, due: null, since: 0, done_to: null, fired: null, failures: 0 }

type JobRow = RowOf<typeof jobTable>

function changeJob(writer: Writer, { what, job }: JobName, change: (row: JobRow) => Partial<JobRow>): void {
  const row = writer.row(jobTable, [what, job]) ?? { ...NEW_JOB, what, job, file: '' }
  writer.put(jobTable, { ...row, ...change(row) })
}

/** A new schedule counts from here on; a change of the configured zone alone is not a new schedule. */
function schedule(event: EventOf<'job-scheduled'>, writer: Writer): void {
  const { file, schedule: text, due, at, root } = event
  // Its file comes next, and then the schedule counts.
  if (root !== undefined) return
  changeJob(writer, event, () => ({ file, schedule: text, due, since: at, done_to: null }))
}

function fire(event: EventOf<'job-fired' | 'job-skipped'>, writer: Writer): void {
  const { what, job, due, position } = event
  writer.put(firingTable, { what, job, position })
  if (event.took !== undefined) takeCall(event, event.took, writer)
  if (what === 'reminder') {
    const before = writer.row(firedTable, [job, due])
    if (before !== undefined && event.kind === 'job-fired')
      refuse(event, `the reminder ${job} of that time was fired before`)
    if (event.kind === 'job-fired') writer.put(firedTable, { job, due, position })
  }
  changeJob(writer, event, (row) => ({
    done_to: due,
    fired: event.kind === 'job-fired' ? position : row.fired,
  }))
}

function receive(event: EventOf<'webhook-received'>, writer: Writer): void {
  const { job, position } = event
  writer.put(callTable, { job, position })
  const before = writer.row(webhookTable, [job])
  putWebhook(writer, { job, taken_to: before?.taken_to ?? 0, waiting: (before?.waiting ?? 0) + 1 })
  // Of calls without a key the newest counts: they are compared for a while only.
  if (event.key === null || sameCall(writer, event) === undefined)
    writer.put(inboundKeyTable, { ...callKey(event), position })
}

function takeCall(event: EventOf<'job-fired' | 'job-skipped'>, took: Position, writer: Writer): void {
  const { what, job } = event
  const first = what === 'webhook' ? firstCall(writer, job) : undefined
  if (first?.position !== took)
    refuse(event, `it took the call at ${took}, where ${first?.position ?? 'none'} is first`)
  putWebhook(writer, { job, taken_to: took, waiting: callsWaiting(writer, job) - 1 })
}

function putWebhook(writer: Writer, row: RowOf<typeof webhookTable>): void {
  const wasOpen = callsWaiting(writer, row.job) > 0
  writer.put(webhookTable, row)
  if (row.waiting === 0) dropOpen(writer, 'webhooks', (job) => job === row.job)
  else if (!wasOpen) addOpen(writer, 'webhooks', row.job)
}

/** Counts how often a job failed in a row, without runs that were started by hand. */
function endOfRun(event: EventOf<'branch-ended' | 'run-rested'>, writer: Writer): void {
  const run = runIn(writer, event.branch)
  if (run === undefined) return
  if (run.author.by !== 'policy' || run.author.name !== 'schedule') return
  const hasFailed = event.reason === 'failed' || event.reason === 'timed-out'
  if (!hasFailed && event.reason !== 'finished') return
  changeJob(writer, nameOfRun(run), ({ failures }) => ({ failures: hasFailed ? failures + 1 : 0 }))
}

function raise(event: EventOf<'notice-raised'>, writer: Writer): void {
  const { person, cause, position } = event
  const before = noticesOf(writer, person, cause)
  const first = before.count === 0 ? position : before.first
  const now = { ...before, count: before.count + 1, first, newest: position, isWaiting: true }
  putNotices(writer, { person, cause }, now)
  if (cause.startsWith(RECOVERY)) recover(writer, person, cause.replace(RECOVERY, FAILURE))
}

/** After a recovery, the next failure counts as the first; the recovery notice mentions the failures too. */
function recover(writer: Writer, person: string, cause: string): void {
  const now = { ...noticesOf(writer, person, cause), count: 0, isWaiting: false, told: 0 }
  putNotices(writer, { person, cause }, now)
}

function markTold(event: EventOf<'notices-told'>, writer: Writer): void {
  const { person, causes, at } = event
  for (const cause of causes) {
    const before = noticesOf(writer, person, cause)
    if (!before.isWaiting) refuse(event, `nothing waits to be told of '${cause}'`)
    const count = cause.startsWith(FAILURE) ? before.count : 0
    const now = { ...before, count, isWaiting: false, toldAt: at, told: before.told + 1 }
    putNotices(writer, { person, cause }, now)
  }
}

type Cause = Pick<EventOf<'notice-raised'>, 'person' | 'cause'>

function putNotices(writer: Writer, { person, cause }: Cause, { toldAt, told, ...raised }: Notices): void {
  writer.put(noticeTable, { person, cause, waiting: toJson(raised), told_at: toldAt, told })
  const isThis = ([who, why]: Open['notices']): boolean => who === person && why === cause
  if (!raised.isWaiting) dropOpen(writer, 'notices', isThis)
  else if (!openList(writer, 'notices').some(isThis)) addOpen(writer, 'notices', [person, cause])
}

/** Jobs of an import have no schedule until a file of this home gives them one; its notices are not told (SAFE5). */
function closeImport({ position }: Event, writer: Writer): void {
  for (const what of jobKinds)
    for (const row of allRows(writer, jobTable, { prefix: [what] }))
      writer.put(jobTable, { ...row, schedule: null, due: null, fired: null, failures: 0 })
  for (const { job } of allRows(writer, webhookTable, { prefix: [] }))
    putWebhook(writer, { job, taken_to: position, waiting: 0 })
  for (const [person, cause] of openList(writer, 'notices'))
    putNotices(writer, { person, cause }, { ...noticesOf(writer, person, cause), count: 0, isWaiting: false })
}
