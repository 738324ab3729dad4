import type { EventOf } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import { jobKinds, jobText, type JobName } from '../../event/job.ts'
import { allRows, fromJson, type Reader, type RowOf } from '../../event/table.ts'
import { kindOfTag } from './ledger.ts'
import { newest } from './newest.ts'
import type { Run } from './run.ts'
import {
  definitionProblemTable,
  firedTable,
  jobTable,
  noticeTable,
  pauseTable,
  type FileProblem,
  type Raised,
} from './tables.ts'

/** What the log knows of jobs; what they are to do stands in their files. */
export interface KnownJob extends JobName {
  readonly file: string
  /** Null: its file is gone. */
  readonly schedule: string | null
  /** Of a reminder. */
  readonly due: number | null
  /** Since when this schedule counts. */
  readonly since: number
  /** The newest time that was fired or skipped of this schedule. */
  readonly doneTo: number | null
  /** Its last firing. */
  readonly fired: Position | null
  readonly failures: number
}

export function knownJob(reader: Reader, { what, job }: JobName): KnownJob | undefined {
  const row = reader.row(jobTable, [what, job])
  return row && knownFrom(row)
}

export function knownJobs(reader: Reader, what: JobName['what']): KnownJob[] {
  return [...allRows(reader, jobTable, { prefix: [what] })].map(knownFrom)
}

function knownFrom({ done_to: doneTo, ...row }: RowOf<typeof jobTable>): KnownJob {
  return { ...row, doneTo }
}

/** Where a reminder of that time was fired. */
export function firedAt(reader: Reader, job: string, due: number): Position | undefined {
  return reader.row(firedTable, [job, due])?.position
}

/** A pause that holds now; null: it ended or there is none. `until` null: until somebody says so. */
export function pauseOf(reader: Reader, one: JobName | null, now: number): EventOf<'jobs-paused'> | null {
  const pause = lastPause(reader, one)
  return pause !== undefined && (pause.until === null || pause.until > now) ? pause : null
}

/** The pause of all, or of one, that was not said to be over yet, though its time may be. */
export function lastPause(reader: Reader, one: JobName | null = null): EventOf<'jobs-paused'> | undefined {
  const row = reader.row(pauseTable, [one?.what ?? '', one?.job ?? ''])
  const paused = row?.paused ?? null
  return paused === null ? undefined : (reader.event(paused) as EventOf<'jobs-paused'>)
}

/** Jobs that are paused by themselves, though the time of it may be over. */
export function pausedJobs(reader: Reader): JobName[] {
  return jobKinds.flatMap((what) => {
    const rows = [...allRows(reader, pauseTable, { prefix: [what] })].filter(({ paused }) => paused !== null)
    return rows.map(({ job }) => ({ what, job }))
  })
}

/** What was found wrong with a file last, and not mended since. */
export function knownProblem(reader: Reader, file: string): FileProblem | null {
  const problem = reader.row(definitionProblemTable, [file])?.problem ?? null
  return problem && fromJson(problem)
}

/** Causes of notices: that a file is wrong, that a job fails, and that it works again. */
export const DEFINITION = 'definition '
export const FAILURE = 'failure '
export const RECOVERY = 'recovery '

export function failureCause(name: JobName): string {
  return `${FAILURE}${jobText(name)}`
}

export function recoveryCause(name: JobName): string {
  return `${RECOVERY}${jobText(name)}`
}

/** What was raised for one cause: what waits to be told, and what was. */
export interface Notices extends Raised {
  readonly toldAt: number | null
  /** How often in a row. */
  readonly told: number
}

const NO_NOTICES: Notices = {
  count: 0,
  first: null,
  newest: null,
  isWaiting: false,
  toldAt: null,
  told: 0,
}

export function noticesOf(reader: Reader, person: string, cause: string): Notices {
  const row = reader.row(noticeTable, [person, cause])
  if (row === undefined) return NO_NOTICES
  return { ...fromJson(row.waiting), toldAt: row.told_at, told: row.told }
}

/** The zone that the log knows the person to live in. */
export function knownZone(reader: Reader): string | undefined {
  return newest(reader, 'zone')?.zone
}

export function nameOfRun({ tag, job }: Pick<Run, 'tag' | 'job'>): JobName {
  return { what: kindOfTag(tag), job }
}
