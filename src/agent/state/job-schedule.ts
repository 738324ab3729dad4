import { isoInstant } from '../../base/iso-time.ts'
import type { JobName } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { Definition, Reminder, Routine } from '../../schedule/definition.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { knownJob } from './jobs.ts'

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
