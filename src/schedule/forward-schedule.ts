import { oneLine, shorten } from '../base/width.ts'
import type { JobName } from '../event/job.ts'
import type { Reminder, Routine } from './definition.ts'
import { lastFiring, nextFiring } from './occurrence.ts'

export interface ForeseenJob {
  readonly definition: Routine | Reminder
  /** From the workspace. */
  readonly file: string
  /** The instant of a reminder. */
  readonly dueAt: number | null
}

/** Named as models are told of it. */
export interface ScheduleEntry {
  readonly fire_time: number
  readonly label: string
  readonly description: string
  readonly file_path: string
  /** It cannot ping. */
  readonly silent: boolean
  readonly tag: 'this task' | 'just fired' | null
}

export interface ScheduleLook {
  readonly now: number
  readonly zone: string
  /** The job that is told; null: none of them. */
  readonly self: JobName | null
}

const MINUTE_MS = 60_000
const GRACE_MS = 15 * MINUTE_MS
const BASE_MS = 180 * MINUTE_MS
const WINDOW_MS_MAX = 720 * MINUTE_MS
const FORWARD_MIN = 3

/**
 * What works in the background around now, so that a run knows who else may need a ping: what has just fired, what is
 * due in the next hours, and beyond them as many as make three.
 */
export function forwardSchedule(jobs: readonly ForeseenJob[], look: ScheduleLook): ScheduleEntry[] {
  const { now } = look
  const entries = jobs
    .filter(({ definition }) => definition.background)
    .flatMap((job) => entriesOf(job, look))
    .toSorted(inOrder)
  const fired = entries.filter(({ fire_time: at }) => at <= now)
  const coming = entries.filter(({ fire_time: at }) => at > now)
  const near = coming.filter(({ fire_time: at }) => at <= now + BASE_MS)
  return [...fired, ...coming.slice(0, Math.max(near.length, FORWARD_MIN))]
}

/** In code units: what a machine's language says of order is no part of the jobs. */
function inOrder(one: ScheduleEntry, other: ScheduleEntry): number {
  if (one.fire_time !== other.fire_time) return one.fire_time - other.fire_time
  return one.file_path === other.file_path ? 0 : one.file_path < other.file_path ? -1 : 1
}

function entriesOf(job: ForeseenJob, { now, zone, self }: ScheduleLook): ScheduleEntry[] {
  const { definition, file } = job
  const { allowPing, description, body, kind, id } = definition
  const told = {
    label: labelOf(definition),
    description: shorten(oneLine(description === '' ? body : description), DESCRIPTION_COLUMNS),
    file_path: file,
    silent: !allowPing,
  }
  const isSelf = self !== null && self.what === kind && self.job === id
  return timesOf(job, now, zone).map((at) => {
    const tag = at > now ? null : isSelf ? 'this task' : 'just fired'
    return { fire_time: at, ...told, tag }
  })
}

const DESCRIPTION_COLUMNS = 60

/** `Chain reminder (2/4)`: the second of four checks. */
function labelOf(definition: Routine | Reminder): string {
  if (definition.kind === 'routine') return 'Routine'
  const { max, depth } = definition.chain
  return max === 0 ? 'Reminder' : `Chain reminder (${depth + 1}/${max + 1})`
}

/** Of a routine the last one and the next one: what comes every minute would hide all others. */
function timesOf({ definition, dueAt }: ForeseenJob, now: number, zone: string): number[] {
  const [from, to] = [now - GRACE_MS, now + WINDOW_MS_MAX]
  if (definition.kind === 'reminder') return dueAt !== null && dueAt >= from && dueAt <= to ? [dueAt] : []
  const { cron, timezone } = definition
  if (cron === null) return []
  const there = timezone ?? zone
  const first = nextFiring(cron, there, from - 1)
  if (first === null || first > now) return upTo(to, first)
  const last = lastFiring(cron, there, { after: first, upTo: now }) ?? first
  return [last, ...upTo(to, nextFiring(cron, there, now))]
}

function upTo(end: number, at: number | null): number[] {
  return at === null || at > end ? [] : [at]
}
