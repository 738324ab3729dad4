import { timeText } from '../../base/time-text.ts'
import { jobText, type JobName } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import { lastFiring } from '../../schedule/occurrence.ts'
import { firedAt, knownJobs, pauseOf, type KnownJob } from '../state/jobs.ts'

export interface DueJob extends JobName {
  readonly due: number
}

interface When {
  readonly now: number
  readonly zone: string
}

/** What fell due and was neither fired nor skipped, of jobs that are not paused themselves; the earliest first. */
export function dueMeanwhile(reader: Reader, { now, zone }: When): DueJob[] {
  const known = (['routine', 'reminder'] as const).flatMap((what) => knownJobs(reader, what))
  return known
    .filter((job) => pauseOf(reader, job, now) === null)
    .flatMap((job) => {
      const due = dueOf(reader, job, { now, zone })
      return due === null ? [] : { what: job.what, job: job.job, due }
    })
    .toSorted((one, other) => one.due - other.due)
}

function dueOf(reader: Reader, known: KnownJob, { now, zone }: When): number | null {
  const { what, job, schedule, due, since, doneTo } = known
  if (schedule === null) return null
  if (what === 'reminder')
    return due !== null && due <= now && firedAt(reader, job, due) === undefined ? due : null
  const words = schedule.split(' ')
  if (words.length < CRON_FIELDS) return null
  const own = words.slice(CRON_FIELDS).join(' ')
  const cron = words.slice(0, CRON_FIELDS).join(' ')
  return lastFiring(cron, own === '' ? zone : own, { after: doneTo ?? since, upTo: now })
}

const CRON_FIELDS = 5
const NAMED_MAX = 8

/** `routine brief (09:00), reminder call-mum (09:30)` */
export function dueWords(jobs: readonly DueJob[], when: When): string {
  const named = jobs.slice(0, NAMED_MAX).map((job) => `${jobText(job)} (${timeText(job.due, when)})`)
  const more = jobs.length - named.length
  return more === 0 ? named.join(', ') : `${named.join(', ')} and ${more} more`
}
