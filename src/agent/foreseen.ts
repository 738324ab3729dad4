import type { Reader } from '../event/table.ts'
import { OWNER } from '../recall/document.ts'
import type { Reminder } from '../schedule/definition.ts'
import { forwardSchedule, type ForeseenJob, type ScheduleEntry } from '../schedule/forward-schedule.ts'
import type { LoadedJob } from '../schedule/job-shelf.ts'
import { runAtInstant } from '../schedule/run-at.ts'
import { nameOf, scheduleText } from './job-schedule.ts'
import { firedAt, knownJob, nameOfRun, pauseOf, personOfRun } from './jobs.ts'
import type { Run } from './run.ts'

interface Look {
  readonly now: number
  readonly zone: string
  readonly jobs: readonly LoadedJob[]
}

/** What else works in the background around now on the same person's account: who is told of others is told too much. */
export function foreseen(reader: Reader, run: Run, { now, zone, jobs }: Look): ScheduleEntry[] {
  const person = personOfRun(run)
  const counted = jobs.flatMap(({ definition, file }): ForeseenJob[] => {
    if (definition.kind === 'webhook' || !definition.background) return []
    if ((definition.person ?? OWNER) !== person || pauseOf(reader, nameOf(definition), now) !== null)
      return []
    if (definition.kind === 'routine') return [{ definition, file, dueAt: null }]
    const dueAt = dueOf(reader, definition, zone)
    // Its file may still be there for a moment, or not: what is told must not depend on that.
    const isDone = dueAt !== null && firedAt(reader, definition.id, dueAt) !== undefined
    return isDone ? [] : [{ definition, file, dueAt }]
  })
  return forwardSchedule(counted, { now, zone, self: nameOfRun(run) })
}

/** As the log keeps it, whatever zone is configured since. */
function dueOf(reader: Reader, definition: Reminder, zone: string): number | null {
  const { runAt, timezone } = definition
  const known = knownJob(reader, nameOf(definition))
  if (known !== undefined && known.due !== null && known.schedule === scheduleText(definition))
    return known.due
  return runAt === null ? null : runAtInstant(runAt, timezone ?? zone)
}
