import { isoIn, type Place } from '../base/time-text.ts'
import { openApprovals } from '../agent/state/approvals.ts'
import { nameOf, reminderDue, scheduleText } from '../agent/state/jobs.ts'
import { callsWaiting, firedAt, knownJob, pauseOf } from '../agent/state/jobs.ts'
import { pingsOfJob } from '../agent/state/ledger.ts'
import { OWNER } from '../event/speaker.ts'
import { personIn } from '../agent/state/person.ts'
import { runIn } from '../agent/state/run.ts'
import { firingTable } from '../agent/state/tables.ts'
import { findBranch } from '../context/branch.ts'
import type { EventOf } from '../event/event.ts'
import { handleOf, type BranchId } from '../event/id.ts'
import type { JobKind, JobName } from '../event/job.ts'
import type { Reader } from '../event/table.ts'
import type { Log } from '../log/log.ts'
import type { Definition } from '../schedule/definition.ts'
import type { JobShelf, LoadedJob } from '../schedule/job-shelf.ts'
import { nextFiring } from '../schedule/occurrence.ts'

/** A job as people and programs are shown it. Times are ISO in the person's zone; programs rely on the names. */
export type JobView = ReturnType<typeof jobView>
export type JobsView = ReturnType<typeof jobsView>

export interface JobsLook {
  readonly shelf: Pick<JobShelf, 'jobs' | 'problems' | 'prefix'>
  readonly when: Place
  /** Left out: all kinds. */
  readonly kind?: JobKind
}

/** The jobs still to come. A reminder that the log has fired is not one of them, even while its file exists. */
export function jobsView(reader: Reader, { shelf, when, kind }: JobsLook) {
  const isIn = (file: string): boolean =>
    kind === undefined || file === `${kind}s` || file.startsWith(`${kind}s/`)
  const isTheirs = (branch: BranchId): boolean => {
    const person = personIn(reader, branch)
    return (person === OWNER ? '' : `${person}/`) === (shelf.prefix ?? '')
  }
  const jobs = shelf
    .jobs()
    .filter(({ definition }) => kind === undefined || definition.kind === kind)
    .map((job) => ({ job, next: nextTime(reader, job.definition, when) }))
    .filter(({ job, next }) => !hasFired(reader, job.definition, next))
    .toSorted((a, b) => (a.next ?? Infinity) - (b.next ?? Infinity) || byId(a.job, b.job))
  return {
    /** Whether all jobs are paused, or until when. */
    paused: pausedIn(reader, null, when),
    /** The next one first. */
    jobs: jobs.map(({ job }) => jobView(reader, job, when)),
    /** Files that cannot be used. */
    problems: shelf.problems().filter(({ file }) => isIn(file)),
    /** Files that wait for the person's approval. */
    waiting: openApprovals(reader, when.now).flatMap(({ request: { wish, number, branch } }) =>
      wish.kind === 'file' && kind !== undefined && isIn(wish.path) && isTheirs(branch)
        ? { path: wish.path, number }
        : [],
    ),
  }
}

export function hasFired(reader: Reader, { kind, id }: Definition, next: number | null | undefined): boolean {
  return kind === 'reminder' && next != null && firedAt(reader, id, next) !== undefined
}

function byId({ definition: one }: LoadedJob, { definition: other }: LoadedJob): number {
  return one.id < other.id ? -1 : 1
}

function jobView(reader: Reader, { definition, file, warnings }: LoadedJob, when: Place) {
  const name = nameOf(definition)
  const { id, kind, description, background, person, body } = definition
  const next = nextTime(reader, definition, when)
  const known = knownJob(reader, name)
  const fired = known?.fired == null ? undefined : reader.event(known.fired)
  const chain = kind === 'reminder' ? definition.chain : { max: 0, depth: 0 }
  return {
    id,
    kind,
    file,
    schedule: scheduleText(definition),
    next: next === null ? null : isoIn(next, when.zone),
    background,
    for: person,
    /** Whether this job is paused, or until when. */
    paused: pausedIn(reader, name, when),
    failures: known?.failures ?? 0,
    description,
    task: body,
    warnings,
    persistent: kind === 'routine' && definition.isPersistent,
    /** For a webhook: the variable with its secret (null: it takes no requests), and how many requests wait. */
    requests: kind === 'webhook' ? { secret: definition.secretEnv, waiting: callsWaiting(reader, id) } : null,
    /** For a chained reminder: which check is next, of how many. */
    check: chain.max > 0 ? [chain.depth + 1, chain.max + 1] : null,
    /** The newest first. */
    last: fired?.kind === 'job-fired' ? [firingView(reader, fired, when)] : [],
  }
}

export function pausedIn(reader: Reader, name: JobName | null, { now, zone }: Place): boolean | string {
  const pause = pauseOf(reader, name, now)
  return pause === null || pause.until === null ? pause !== null : isoIn(pause.until, zone)
}

/** May be past for a reminder that is due and has not fired yet. */
export function nextTime(reader: Reader, definition: Definition, { now, zone }: Place): number | null {
  if (definition.kind === 'webhook') return null
  if (definition.kind === 'reminder') return reminderDue(reader, definition, zone)
  return definition.cron === null ? null : nextFiring(definition.cron, definition.timezone ?? zone, now)
}

export type JobDetails = Awaited<ReturnType<typeof jobDetails>>

const TIMES = 3
const LAST = 5

/** Everything about one job. */
export function jobDetails(log: Log, job: LoadedJob, when: Place) {
  const { definition } = job
  const name = nameOf(definition)
  return log.read((reader) => {
    const pings = pingsOfJob(reader, name) ?? null
    return {
      ...jobView(reader, job, when),
      definition,
      times: nextTimes(reader, definition, { ...when, count: TIMES }).map((at) => isoIn(at, when.zone)),
      last: lastFirings(reader, name).map((event) => firingView(reader, event, when)),
      pings: pings && { arrived: pings.arrived, answered: pings.answered, less: pings.less },
      allPaused: pausedIn(reader, null, when),
    }
  })
}

/** The next times of a job, or of what a file would make one. */
export function nextTimes(
  reader: Reader,
  definition: Definition,
  { count, until = Infinity, ...when }: Place & { readonly count: number; readonly until?: number },
): number[] {
  const times: number[] = []
  let next = nextTime(reader, definition, when)
  while (next !== null && next <= until && times.length < count) {
    times.push(next)
    next = definition.kind === 'routine' ? nextTime(reader, definition, { ...when, now: next }) : null
  }
  return times
}

type Firing = EventOf<'job-fired'> | EventOf<'job-skipped'> | EventOf<'run-started'>

function lastFirings(reader: Reader, { what, job }: JobName): Firing[] {
  const rows = reader.rows(firingTable, { prefix: [what, job], order: 'down', limit: LAST })
  return rows.map(({ position }) => reader.event(position) as Firing)
}

function firingView(reader: Reader, event: Firing, { zone }: Place) {
  const due = event.kind === 'run-started' ? event.at : event.due
  const run = event.kind === 'run-started' ? event.branch : event.kind === 'job-fired' ? event.run : null
  return { due: isoIn(due, zone), at: isoIn(event.at, zone), outcome: outcomeOf(reader, event), run }
}

const SKIPPED: Readonly<Record<EventOf<'job-skipped'>['because'], string>> = {
  running: 'skipped, as it was still running',
  missed: 'skipped, as Mainstem was not running',
  nobody: 'skipped, as the person it is for never wrote here',
  broken: 'not started, as its file has a mistake',
  gone: 'not started, as its file was removed',
}

function outcomeOf(reader: Reader, event: Firing): string {
  if (event.kind === 'job-skipped') return SKIPPED[event.because]
  if (event.kind === 'run-started') return `started by hand${runWords(reader, event.branch)}`
  const fired = event.isLate ? 'fired late' : 'fired'
  return event.run === null ? `${fired}, in main` : `${fired}${runWords(reader, event.run)}`
}

function runWords(reader: Reader, run: BranchId): string {
  const state = findBranch(reader, run)?.state
  const isResting = runIn(reader, run)?.isResting === true
  const end = state?.kind === 'ended' ? state.reason : isResting ? 'finished' : 'running'
  return `, as ${handleOf(run)}, ${end}`
}
