import { openApprovals } from '../agent/state/approvals.ts'
import { nameOf, scheduleText } from '../agent/state/job-schedule.ts'
import { firedAt, knownJob, pauseOf } from '../agent/state/jobs.ts'
import { runIn } from '../agent/state/run.ts'
import { oneLine, shorten } from '../base/width.ts'
import { counted } from '../base/words.ts'
import { getBranch } from '../context/branch.ts'
import { handleOf, type BranchId } from '../event/id.ts'
import { jobText, type JobName } from '../event/job.ts'
import type { Reader } from '../event/table.ts'
import type { Definition } from '../schedule/definition.ts'
import type { JobShelf, LoadedJob } from '../schedule/job-shelf.ts'
import { nextFiring } from '../schedule/occurrence.ts'
import { problemText } from '../schedule/read-definition.ts'
import { runAtInstant } from '../schedule/run-at.ts'
import { whenText } from '../schedule/when.ts'

export interface When {
  readonly now: number
  readonly zone: string
}

type Listed = 'routine' | 'reminder'

const NONE: Readonly<Record<Listed, string>> = {
  routine: `There are no routines. A routine is a file routines/NAME.md, with a line such as
cron: 30 8 * * 1-5 in front of its task. /help routines tells more.`,
  reminder: `There are no reminders. Ask for one in your own words, or write a file
reminders/NAME.md with a line such as run-at: 2026-08-01T09:00 in front of its
task. /help reminders tells more.`,
}

/** All routines or reminders, the next one first; what is wrong with files; what waits for the person. */
export function jobsText(
  reader: Reader,
  what: Listed,
  { shelf, when }: { readonly shelf: Pick<JobShelf, 'jobs' | 'problems'>; readonly when: When },
): string {
  const own = shelf.jobs().filter(({ definition }) => definition.kind === what)
  const jobs = upcoming(reader, own, when)
  const folder = `${what}s/`
  const waiting = openApprovals(reader, when.now).flatMap(({ asked: { wish, number } }) =>
    wish.kind === 'file' && wish.path.startsWith(folder)
      ? `${wish.path} waits for you: /approvals ${number} shows it.`
      : [],
  )
  const wrong = shelf.problems().filter(({ file }) => file.startsWith(folder))
  const pause = pauseOf(reader, null, when.now)
  return [
    ...(pause === null ? [] : [`All jobs are paused ${untilWords(pause.until, when)}. /resume ends that.`]),
    ...(jobs.length === 0 ? [NONE[what]] : [`${counted(jobs.length, what)}:`]),
    ...jobs.map((job) => entryOf(reader, job, when)),
    ...waiting,
    ...warningLines(jobs),
    ...wrong.map((problem) => `Not used: ${problemText(problem)}`),
  ].join('\n')
}

/** What was left out of a file that is used all the same: it may have been meant. */
export function warningLines(jobs: readonly LoadedJob[]): string[] {
  return jobs.flatMap(({ file, warnings }) => warnings.map((warning) => `Warning: ${file}: ${warning}`))
}

export interface Upcoming extends LoadedJob {
  /** Null: nobody knows of any time. */
  readonly next: number | null
}

/** What comes yet, the soonest first. */
export function upcoming(reader: Reader, jobs: readonly LoadedJob[], when: When): Upcoming[] {
  return withTimes(reader, jobs, when).filter((job) => !hasFired(reader, job))
}

export function withTimes(reader: Reader, jobs: readonly LoadedJob[], when: When): Upcoming[] {
  return jobs
    .map((job) => ({ ...job, next: nextTime(reader, job.definition, when) }))
    .toSorted((one, other) => (one.next ?? Infinity) - (other.next ?? Infinity) || compare(one, other))
}

/** A reminder that the log says is fired is none any more, whether its file is still there or not. */
export function hasFired(reader: Reader, { definition, next }: Upcoming): boolean {
  return definition.kind === 'reminder' && next !== null && firedAt(reader, definition.id, next) !== undefined
}

function compare({ definition: one }: LoadedJob, { definition: other }: LoadedJob): number {
  return one.id < other.id ? -1 : 1
}

/** Of a reminder also a time that has passed. What was decided about it once is kept, whatever zone counts now. */
export function nextTime(reader: Reader, definition: Definition, { now, zone }: When): number | null {
  if (definition.kind === 'webhook') return null
  const own = definition.timezone ?? zone
  if (definition.kind === 'routine')
    return definition.cron === null ? null : nextFiring(definition.cron, own, now)
  const known = knownJob(reader, nameOf(definition))
  if (known?.due != null && known.schedule === scheduleText(definition)) return known.due
  return definition.runAt === null ? null : runAtInstant(definition.runAt, own)
}

function entryOf(reader: Reader, { definition, next }: Upcoming, when: When): string {
  const { id, description, body, background } = definition
  const where = background ? 'background' : 'in main'
  const schedule = definition.kind === 'routine' ? `${scheduleText(definition) ?? 'by hand'}, ` : ''
  const words = shorten(oneLine(description === '' ? body : description), BODY_COLUMNS)
  const last = lastWords(reader, nameOf(definition), when)
  return [
    `  ${id}: ${timeWords(reader, { definition, next }, when)} (${schedule}${where})`,
    ...(words === '' ? [] : [`    ${words}`]),
    ...(last === undefined ? [] : [`    ${last}`]),
  ].join('\n')
}

const BODY_COLUMNS = 60

function timeWords(
  reader: Reader,
  { definition, next }: { readonly definition: Definition; readonly next: number | null },
  when: When,
): string {
  const pause = pauseOf(reader, nameOf(definition), when.now)
  if (pause !== null) return `paused ${untilWords(pause.until, when)}`
  if (next === null) return 'at no time'
  return next <= when.now ? `due since ${whenText(next, when)}` : whenText(next, when)
}

/** `until tomorrow 09:00, in 14 h`, or until somebody says so. */
export function untilWords(until: number | null, when: When): string {
  return until === null ? 'until resumed' : `until ${whenText(until, when)}`
}

/** When it was fired last, and what came of it; undefined: never. */
function lastWords(reader: Reader, name: JobName, when: When): string | undefined {
  const known = knownJob(reader, name)
  const fired = known?.fired == null ? undefined : reader.event(known.fired)
  if (known === undefined || fired?.kind !== 'job-fired') return undefined
  const outcome = fired.run === null ? undefined : outcomeOf(reader, fired.run, known.failures)
  const late = fired.isLate ? ', late' : ''
  return `Last fired ${whenText(fired.at, when)}${late}${outcome === undefined ? '' : `: ${outcome}`}.`
}

function outcomeOf(reader: Reader, run: BranchId, failures: number): string {
  const { state } = getBranch(reader, run)
  const isResting = runIn(reader, run)?.isResting === true
  if (state.kind !== 'ended' && !isResting) return `it runs as ${handleOf(run)}`
  if (failures > 1) return `it failed, ${failures} times in a row`
  if (failures === 1) return 'it failed'
  return state.kind === 'ended' && state.reason === 'killed' ? 'it was ended' : 'it worked'
}

/** All about one job. `file` is what its file says. */
export function wholeJobText(
  reader: Reader,
  { job, file, when }: { readonly job: LoadedJob; readonly file: string; readonly when: When },
): string {
  const { definition, warnings } = job
  const name = nameOf(definition)
  const next = nextTime(reader, definition, when)
  const later =
    definition.kind === 'routine' && next !== null
      ? nextTime(reader, definition, { ...when, now: next })
      : null
  const then = later === null ? '' : `; then ${whenText(later, when)}`
  const pause = pauseOf(reader, null, when.now)
  const last = lastWords(reader, name, when)
  return [
    `${jobText(name)} (${job.file})`,
    `Next: ${timeWords(reader, { definition, next }, when)}${then}.`,
    ...(pause === null ? [] : [`All jobs are paused ${untilWords(pause.until, when)}.`]),
    ...(last === undefined ? [] : [last]),
    ...warnings.map((warning) => `Warning: ${warning}`),
    '',
    file.trimEnd(),
  ].join('\n')
}
