import { isoInstant } from '../../base/iso-time.ts'
import { jobText } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { Definition, Reminder } from '../../schedule/definition.ts'
import {
  forwardSchedule,
  isForeseen,
  type ForeseenJob,
  type ScheduleEntry,
} from '../../schedule/forward-schedule.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { nameOf, scheduleText } from '../state/job-schedule.ts'
import { firedAt, knownJob, nameOfRun, pausedJobs, pauseOf } from '../state/jobs.ts'
import type { Run } from '../state/run.ts'
import { personOf } from '../../event/speaker.ts'

interface Look {
  readonly now: number
  readonly zone: string
  readonly jobs: readonly LoadedJob[]
}

/** What else works in the background around now on the same person's account: who is told of others is told too much. */
export function foreseen(reader: Reader, run: Run, { now, zone, jobs }: Look): ScheduleEntry[] {
  const person = personOf(run)
  const paused = pausedNow(reader, now)
  const counted: ForeseenJob[] = []
  for (const { definition, file } of jobs) {
    if (definition.kind === 'webhook' || !definition.background) continue
    if (personOf(definition) !== person || isIn(paused, definition)) continue
    if (definition.kind === 'routine') counted.push({ definition, file, dueAt: null })
    else counted.push(...reminderIn(reader, { definition, file }, { now, zone }))
  }
  return forwardSchedule(counted, { now, zone, self: nameOfRun(run) })
}

/** Read once, not for each job: mostly nothing is paused. */
function pausedNow(reader: Reader, now: number): ReadonlySet<string> {
  const names = pausedJobs(reader).filter((name) => pauseOf(reader, name, now) !== null)
  return new Set(names.map(jobText))
}

function isIn(names: ReadonlySet<string>, definition: Definition): boolean {
  return names.size > 0 && names.has(jobText(nameOf(definition)))
}

type ReminderFile = Pick<ForeseenJob, 'file'> & { readonly definition: Reminder }
type Place = Pick<Look, 'now' | 'zone'>

/** What is not due around now is left out before the log is asked for it. */
function reminderIn(reader: Reader, { definition, file }: ReminderFile, { now, zone }: Place): ForeseenJob[] {
  const { runAt, timezone } = definition
  if (runAt === null) return []
  const counted = isoInstant(runAt, timezone ?? zone)
  if (Math.abs(counted - now) > REACH_MS) return []
  const dueAt = keptDue(reader, definition) ?? counted
  if (!isForeseen(dueAt, now)) return []
  // Its file may still be there for a moment, or not: what is told must not depend on that.
  return firedAt(reader, definition.id, dueAt) === undefined ? [{ definition, file, dueAt }] : []
}

/** The window, and as much as two zones can be apart: in which one it was meant, the log knows. */
const REACH_MS = 48 * 3_600_000

/** As the log keeps it, whatever zone is configured since. */
function keptDue(reader: Reader, definition: Reminder): number | null {
  const known = knownJob(reader, nameOf(definition))
  return known !== undefined && known.schedule === scheduleText(definition) ? known.due : null
}
