import { findDue, nothingDue } from '../../agent/job/due-jobs.ts'
import { isTimed } from '../../agent/state/jobs.ts'
import type { AgentSettings } from '../../agent/state/settings.ts'
import { clockIn, timeText } from '../../base/time-text.ts'
import type { Position } from '../../event/id.ts'
import type { JobKind } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'

/** A shorter time is a restart, and not worth a word. */
const AWAY_MS_MIN = 5 * 60_000

interface AwayLook {
  readonly jobs: readonly LoadedJob[]
  readonly settings: Pick<AgentSettings, 'zone' | 'quietHours'>
  readonly now: number
  /** When a process was last known to run. The log only knows when something last happened. */
  readonly seenAt: number
}

/** A line for a start after a while in which nothing ran: since when, and what is late. Undefined: it was not long. */
export function awayText(reader: Reader, { jobs, settings, now, seenAt }: AwayLook): string | undefined {
  if (reader.end === 0) return undefined
  const from = Math.max(seenAt, reader.event(reader.end as Position).at)
  if (now - from < AWAY_MS_MIN) return undefined
  const due = nothingDue()
  const look = { jobs: jobs.filter(isTimed), now, startedAt: now, lookedAt: null, settings }
  findDue(reader, { ...look, gone: [], broken: new Set() }, due)
  const kinds = due.firings.map(({ job }) => job.definition.kind)
  const late = (['reminder', 'routine'] as const).flatMap((kind) => countWords(kinds, kind))
  const verb = kinds.length === 1 ? 'is' : 'are'
  return `I was away ${spanText(from, now, settings.zone)}${late.length === 0 ? '' : `; ${late.join(' and ')} ${verb} late`}.`
}

/** `03:10–07:45`; `from yesterday 22:30 to 07:45` */
function spanText(from: number, now: number, zone: string): string {
  const [start, end] = [clockIn(from, zone), clockIn(now, zone)]
  if (start.date === end.date) return `${start.time}–${end.time}`
  return `from ${timeText(from, { now, zone })} to ${end.time}`
}

const NUMBERS = 'no one two three four five six seven eight nine ten'.split(' ')

function countWords(kinds: readonly JobKind[], kind: JobKind): string[] {
  const count = kinds.filter((one) => one === kind).length
  return count === 0 ? [] : [`${NUMBERS[count] ?? count} ${kind}${count === 1 ? '' : 's'}`]
}
