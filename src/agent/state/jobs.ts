import { isoInstant } from '../../base/iso-time.ts'
import type { EventOf } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import { jobKinds, jobText, type JobName } from '../../event/job.ts'
import { allRows, fromJson, type Reader, type RowOf } from '../../event/table.ts'
import type { Definition, Reminder, Routine } from '../../schedule/definition.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { kindOfTag } from './ledger.ts'
import { newest } from './newest.ts'
import type { Run } from './run.ts'
import {
  callTable,
  definitionProblemTable,
  firedTable,
  inboundKeyTable,
  jobTable,
  noticeTable,
  pauseTable,
  webhookTable,
  type FileProblem,
  type Raised,
} from './tables.ts'

/** The log's knowledge of a job; its instructions are in its file. */
export type KnownJob = RowOf<typeof jobTable>

export function knownJob(reader: Reader, { what, job }: JobName): KnownJob | undefined {
  return reader.row(jobTable, [what, job])
}

export function knownJobs(reader: Reader, what: JobName['what']): KnownJob[] {
  return [...allRows(reader, jobTable, { prefix: [what] })]
}

/** The firing of a reminder for that time. */
export function firedAt(reader: Reader, job: string, due: number): Position | undefined {
  return reader.row(firedTable, [job, due])?.position
}

/** The pause that is in effect now; null: none, or it ended. `until` null: until somebody resumes. */
export function pauseOf(reader: Reader, one: JobName | null, now: number): EventOf<'jobs-paused'> | null {
  const pause = lastPause(reader, one)
  return pause !== undefined && (pause.until === null || pause.until > now) ? pause : null
}

/** The last pause of all jobs or of one that nobody has ended, though its time may be over. */
export function lastPause(reader: Reader, one: JobName | null = null): EventOf<'jobs-paused'> | undefined {
  const row = reader.row(pauseTable, [one?.what ?? '', one?.job ?? ''])
  const paused = row?.paused ?? null
  return paused === null ? undefined : (reader.event(paused) as EventOf<'jobs-paused'>)
}

/** Jobs that are paused individually, though their time may be over. */
export function pausedJobs(reader: Reader): JobName[] {
  return jobKinds.flatMap((what) => {
    const rows = [...allRows(reader, pauseTable, { prefix: [what] })].filter(({ paused }) => paused !== null)
    return rows.map(({ job }) => ({ what, job }))
  })
}

/** The last known problem of a file, if it was not fixed since. */
export function knownProblem(reader: Reader, file: string): FileProblem | null {
  const problem = reader.row(definitionProblemTable, [file])?.problem ?? null
  return problem && fromJson(problem)
}

/** Prefixes of a notice's cause: a file is wrong, a job fails, a job works again. */
export const DEFINITION = 'definition '
export const FAILURE = 'failure '
export const RECOVERY = 'recovery '

export function failureCause(name: JobName): string {
  return `${FAILURE}${jobText(name)}`
}

export function recoveryCause(name: JobName): string {
  return `${RECOVERY}${jobText(name)}`
}

/** The notices of one cause: those waiting to be told, and those told. */
export interface Notices extends Raised {
  readonly toldAt: number | null
  /** How many were told in a row. */
  readonly told: number
}

const NO_NOTICES = { count: 0, first: null, newest: null, isWaiting: false, toldAt: null, told: 0 }

export function noticesOf(reader: Reader, person: string, cause: string): Notices {
  const row = reader.row(noticeTable, [person, cause])
  if (row === undefined) return NO_NOTICES
  return { ...fromJson(row.waiting), toldAt: row.told_at, told: row.told }
}

/** The person's time zone according to the log. */
export function knownZone(reader: Reader): string | undefined {
  return newest(reader, 'zone')?.zone
}

export function nameOfRun({ tag, job }: Pick<Run, 'tag' | 'job'>): JobName {
  return { what: kindOfTag(tag), job }
}

/** A request to a webhook. */
export type Call = EventOf<'webhook-received'>

/** The call that is taken next; undefined: none waits. */
export function firstCall(reader: Reader, job: string): Call | undefined {
  const from = (reader.row(webhookTable, [job])?.taken_to ?? 0) + 1
  const [first] = reader.rows(callTable, { prefix: [job], from, order: 'up', limit: 1 })
  return first && (reader.event(first.position) as Call)
}

export function callsWaiting(reader: Reader, job: string): number {
  return reader.row(webhookTable, [job])?.waiting ?? 0
}

/** The key of a call in the table of all inbound keys. A call without a key of its own is known by its body. */
export function callKey({ job, key, hash }: Pick<Call, 'job' | 'key' | 'hash'>) {
  return { channel: 'webhook', conversation: job, key: key ?? `body ${hash}` }
}

/** The newest call with the same key, or without one and with the same body. */
export function sameCall(reader: Reader, call: Pick<Call, 'job' | 'key' | 'hash'>): Call | undefined {
  const { channel, conversation, key } = callKey(call)
  const row = reader.row(inboundKeyTable, [channel, conversation, key])
  const event = row && reader.event(row.position)
  return event?.kind === 'webhook-received' ? event : undefined
}

/** A job with a schedule or a time. */
export interface TimedJob extends LoadedJob {
  readonly definition: Routine | Reminder
}

export function isTimed(job: LoadedJob): job is TimedJob {
  return scheduleText(job.definition) !== null
}

export function nameOf({ kind, id }: Pick<Definition, 'kind' | 'id'>): JobName {
  return { what: kind, job: id }
}

/**
 * A job's schedule as its file says it: `0 9 * * 1-5 Europe/Berlin`, `2026-08-01T09:00:00+02:00`. Without a zone of its
 * own the configured one applies, and changing that is not a new schedule. Null: it is never due.
 */
export function scheduleText(definition: Definition): string | null {
  if (definition.kind === 'webhook') return null
  const { timezone } = definition
  const when = definition.kind === 'routine' ? definition.cron : definition.runAt
  return when === null ? null : [when, ...(timezone === null ? [] : [timezone])].join(' ')
}

/** The instant computed when a reminder was first seen, whatever the zone is now. Null: it only runs by hand. */
export function reminderDue(reader: Reader, reminder: Reminder, zone: string): number | null {
  const { runAt, timezone } = reminder
  const known = knownJob(reader, nameOf(reminder))
  if (known?.due != null && known.schedule === scheduleText(reminder)) return known.due
  // Events have no times before 1970.
  return runAt === null ? null : Math.max(0, isoInstant(runAt, timezone ?? zone))
}

/** Whether a file or its folder cannot be read right now: then its job does not count as removed. */
export function isBroken(broken: ReadonlySet<string>, file: string): boolean {
  return broken.has(file) || broken.has(file.slice(0, Math.max(0, file.lastIndexOf('/'))))
}
