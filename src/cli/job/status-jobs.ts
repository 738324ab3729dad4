import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pausedJobs, pauseOf } from '../../agent/state/jobs.ts'
import { systemClock } from '../../base/clock.ts'
import { counted } from '../../base/words.ts'
import { nameOf } from '../../agent/state/job-schedule.ts'
import { untilWords, upcoming, type When } from '../../view/jobs-text.ts'
import { jobKinds, jobText } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import { openHomeJobs } from '../../runtime/home/home-jobs.ts'
import type { JobShelf } from '../../schedule/job-shelf.ts'
import { whenText } from '../../schedule/when.ts'

function quiet(): void {
  // Whoever lists jobs tells what is wrong with them.
}

/** The jobs of a home for one look; undefined: it has no workspace. */
export async function glanceAtJobs(home: string): Promise<JobShelf | undefined> {
  const root = join(home, 'workspace')
  if (!existsSync(root)) return undefined
  return openHomeJobs({ root, now: systemClock, warn: quiet, watch: false, onChange: quiet })
}

/** How many there are, which one is next, what is paused and what cannot be used; none where there are none. */
export function jobLines(reader: Reader, shelf: JobShelf, when: When): string[] {
  const jobs = upcoming(reader, shelf.jobs(), when)
  const wrong = shelf.problems().length
  if (jobs.length === 0 && wrong === 0) return []
  const counts = jobKinds.flatMap((kind) => {
    const count = jobs.filter(({ definition }) => definition.kind === kind).length
    return count === 0 ? [] : counted(count, kind)
  })
  const first = jobs.find(({ next }) => next !== null)
  const words = [
    counts.join(', ') || 'none that can be used',
    ...(first?.next == null ? [] : [nextText(jobText(nameOf(first.definition)), first.next, when)]),
    ...pauseWords(reader, when),
    ...(wrong === 0 ? [] : [`${counted(wrong, 'file')} cannot be used: the lists say why`]),
  ]
  return [words.join('; ')]
}

function nextText(name: string, next: number, when: When): string {
  return next <= when.now
    ? `${name} is due since ${whenText(next, when)}`
    : `next is ${name}, ${whenText(next, when)}`
}

function pauseWords(reader: Reader, when: When): string[] {
  const all = pauseOf(reader, null, when.now)
  const single = pausedJobs(reader).filter((one) => pauseOf(reader, one, when.now) !== null)
  return [
    ...(all === null ? [] : [`all are paused ${untilWords(all.until, when)}`]),
    ...(single.length === 0 ? [] : [`paused: ${single.map(jobText).join(', ')}`]),
  ]
}
