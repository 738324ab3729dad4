import type { EventOf } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { dueMeanwhile, dueWords } from './due-meanwhile.ts'
import { lastPause, pausedJobs } from '../state/jobs.ts'
import type { Chore, KeepLook } from '../ping/chore.ts'
import { OWNER } from '../../event/speaker.ts'

/** Ends pauses whose time is over. That of all jobs is said to be over; one of a single job just ends. */
export const pauseEndChore: Chore = { dueAt, keep }

function dueAt(reader: Reader): number | undefined {
  const times = pauses(reader).flatMap(({ until }) => until ?? [])
  return times.length === 0 ? undefined : Math.min(...times)
}

function keep(writing: Writing, { now, settings }: KeepLook): readonly BranchId[] {
  for (const { until, one, branch, position } of pauses(writing)) {
    if (until === null || until > now) continue
    const head = { branch, at: now, v: 1 } as const
    writing.append({ kind: 'jobs-resumed', ...head, one, author: { by: 'policy', name: 'time' } })
    if (one !== null) continue
    const text = overWords(writing, { now, zone: settings.zone })
    // A cause of its own each time: that another pause ended within the hour is no reason to wait.
    writing.append({ kind: 'notice-raised', ...head, person: OWNER, cause: `pause ${position}`, text })
  }
  return []
}

function overWords(reader: Reader, when: { readonly now: number; readonly zone: string }): string {
  const due = dueMeanwhile(reader, when)
  if (due.length === 0) return 'The pause is over; jobs and pings go on.'
  return `The pause is over. Due meanwhile: ${dueWords(due, when)}.`
}

/** Those that nobody ended yet. */
function pauses(reader: Reader): EventOf<'jobs-paused'>[] {
  return [null, ...pausedJobs(reader)].flatMap((one) => lastPause(reader, one) ?? [])
}
