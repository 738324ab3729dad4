import { timeText, type Place } from '../../base/time-text.ts'
import type { EventOf } from '../../event/event.ts'
import { jobText, type JobName } from '../../event/job.ts'
import { OWNER } from '../../event/speaker.ts'
import type { Reader } from '../../event/table.ts'
import { lastFiring } from '../../schedule/occurrence.ts'
import { soonest, type Chore } from '../ping/chore.ts'
import { firedAt, knownJobs, lastPause, pausedJobs, pauseOf, type KnownJob } from '../state/jobs.ts'

/** Ends pauses whose time is over. The person is told when all jobs go on; the pause of a single job just ends. */
export const pauseEndChore: Chore = {
  dueAt: (reader) => soonest(pauses(reader).map(({ until }) => until ?? undefined)),
  keep: (writing, { now, settings: { zone } }) => {
    for (const { until, one, branch, position } of pauses(writing)) {
      if (until === null || until > now) continue
      const head = { branch, at: now } as const
      writing.append({ kind: 'jobs-resumed', ...head, one, author: { by: 'policy', name: 'time' } })
      if (one !== null) continue
      const due = dueMeanwhile(writing, { now, zone })
      const text = `The pause is over. ${due === '' ? 'Jobs and pings resume.' : due}`
      // Each pause has its own cause: notices of one cause are told once an hour.
      writing.append({ kind: 'notice-raised', ...head, person: OWNER, cause: `pause ${position}`, text })
    }
    return []
  },
}

/** Pauses that nobody has ended yet. */
function pauses(reader: Reader): EventOf<'jobs-paused'>[] {
  return [null, ...pausedJobs(reader)].flatMap((one) => lastPause(reader, one) ?? [])
}

const NAMED_MAX = 8

/** `Due meanwhile: routine brief (09:00).` Without jobs that are paused themselves. Empty: none fell due. */
export function dueMeanwhile(reader: Reader, when: Place, isMeant: (job: JobName) => boolean = () => true) {
  const known = (['routine', 'reminder'] as const).flatMap((what) => knownJobs(reader, what))
  const due = known
    .filter((job) => isMeant(job) && pauseOf(reader, job, when.now) === null)
    .flatMap((job) => {
      const at = dueOf(reader, job, when)
      return at === null ? [] : { job, at }
    })
    .toSorted((one, other) => one.at - other.at)
  if (due.length === 0) return ''
  const named = due.slice(0, NAMED_MAX).map(({ job, at }) => `${jobText(job)} (${timeText(at, when)})`)
  const more = due.length - named.length
  return `Due meanwhile: ${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}.`
}

const CRON_FIELDS = 5

function dueOf(reader: Reader, known: KnownJob, { now, zone }: Place): number | null {
  const { what, job, schedule, due, since, done_to: doneTo } = known
  if (schedule === null) return null
  if (what === 'reminder')
    return due !== null && due <= now && firedAt(reader, job, due) === undefined ? due : null
  const words = schedule.split(' ')
  if (words.length < CRON_FIELDS) return null
  const [cron, own] = [words.slice(0, CRON_FIELDS).join(' '), words[CRON_FIELDS]]
  return lastFiring(cron, own ?? zone, { after: doneTo ?? since, upTo: now })
}
