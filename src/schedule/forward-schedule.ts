import { oneLine, shorten } from '../base/width.ts'
import { MINUTE_MS } from '../base/zone-time.ts'
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

/** The names are part of what models are told. */
export interface ScheduleEntry {
  readonly fire_time: number
  readonly label: string
  readonly description: string
  /** Its description is not a person's. */
  readonly isByModel: boolean
  readonly file_path: string
  /** It cannot ping. */
  readonly silent: boolean
  readonly tag: 'this task' | 'just fired' | null
}

export interface ScheduleLook {
  readonly now: number
  readonly zone: string
  /** The job that is told this. Null: none of them. */
  readonly self: JobName | null
}

const GRACE_MS = 15 * MINUTE_MS
const BASE_MS = 180 * MINUTE_MS
const WINDOW_MS_MAX = 720 * MINUTE_MS
const FORWARD_MIN = 3

/** The background jobs around now, so that a run knows who else may need a ping. */
export function forwardSchedule(jobs: readonly ForeseenJob[], look: ScheduleLook): ScheduleEntry[] {
  const { now } = look
  const entries: ScheduleEntry[] = []
  for (const job of jobs) if (job.definition.background) addEntries(entries, job, look)
  entries.sort(inOrder)
  const fired = countUpTo(entries, now)
  const near = countUpTo(entries, now + BASE_MS)
  return entries.slice(0, Math.max(near, fired + FORWARD_MIN))
}

/** A follow-up is a model's, whoever set the first of its chain. */
function isByModel(definition: Routine | Reminder): boolean {
  return definition.kind === 'reminder' && (definition.isByModel || definition.chain.depth > 0)
}

function countUpTo(entries: readonly ScheduleEntry[], end: number): number {
  const beyond = entries.findIndex(({ fire_time: at }) => at > end)
  return beyond < 0 ? entries.length : beyond
}

/** By code units, so that the machine's language does not matter. */
function inOrder(one: ScheduleEntry, other: ScheduleEntry): number {
  if (one.fire_time !== other.fire_time) return one.fire_time - other.fire_time
  return one.file_path === other.file_path ? 0 : one.file_path < other.file_path ? -1 : 1
}

/** Whether a job due at this time can be in the schedule at all. */
export function isForeseen(at: number, now: number): boolean {
  return at >= now - GRACE_MS && at <= now + WINDOW_MS_MAX
}

function addEntries(entries: ScheduleEntry[], job: ForeseenJob, { now, zone, self }: ScheduleLook): void {
  const { definition, file } = job
  const { kind, id, allowPing } = definition
  for (const at of timesOf(job, now, zone)) {
    const { label, description } = wordsOf(definition)
    const isSelf = self !== null && self.what === kind && self.job === id
    const tag = at > now ? null : isSelf ? 'this task' : 'just fired'
    entries.push({
      fire_time: at,
      label,
      description,
      isByModel: isByModel(definition),
      file_path: file,
      silent: !allowPing,
      tag,
    })
  }
}

const DESCRIPTION_COLUMNS = 60

type Words = Pick<ScheduleEntry, 'label' | 'description'>

/** Made once for each definition: a thousand jobs due together list each other a million times. */
const words = new WeakMap<Routine | Reminder, Words>()

function wordsOf(definition: Routine | Reminder): Words {
  const known = words.get(definition)
  if (known !== undefined) return known
  const { description, body } = definition
  const made = {
    label: labelOf(definition),
    description: shorten(oneLine(description === '' ? body : description), DESCRIPTION_COLUMNS),
  }
  words.set(definition, made)
  return made
}

/** `Chain reminder (2/4)`: the second of four checks. */
function labelOf(definition: Routine | Reminder): string {
  if (definition.kind === 'routine') return 'Routine'
  const { max, depth } = definition.chain
  return max === 0 ? 'Reminder' : `Chain reminder (${depth + 1}/${max + 1})`
}

/** The last and the next firing only: a routine that runs every minute would hide all others. */
function timesOf({ definition, dueAt }: ForeseenJob, now: number, zone: string): number[] {
  const [from, to] = [now - GRACE_MS, now + WINDOW_MS_MAX]
  if (definition.kind === 'reminder') return dueAt !== null && isForeseen(dueAt, now) ? [dueAt] : []
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
