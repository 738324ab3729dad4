import { isoInstant } from '../../base/iso-time.ts'
import type { DraftOf, EventOf } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import { jobText, type JobName } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { Reminder, Routine } from '../../schedule/definition.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { lastFiring, nextFiring } from '../../schedule/occurrence.ts'
import { quietUntil } from '../../schedule/quiet-hours.ts'
import { jobRuns, type JobRuns } from '../run/run-act.ts'
import { isInMain } from '../step/job-in-main.ts'
import { isBroken, isTimed, nameOf, scheduleText, type TimedJob } from '../state/job-schedule.ts'
import { firedAt, knownJob, pauseOf, type KnownJob } from '../state/jobs.ts'
import type { AgentSettings } from '../state/settings.ts'
import { mainOf } from '../state/person.ts'
import { OWNER, personOf } from '../../event/speaker.ts'

/** What is looked at, and when. */
export interface JobsLook {
  readonly jobs: readonly LoadedJob[]
  readonly now: number
  /** When this process began. */
  readonly startedAt: number
  /** When the files were looked at last; null: not since this process began. */
  readonly lookedAt: number | null
  readonly settings: Pick<AgentSettings, 'zone' | 'quietHours'>
  /** Jobs whose files may be gone. */
  readonly before: readonly JobName[]
  /** Files and folders in which something is wrong just now. */
  readonly broken: ReadonlySet<string>
  /** Instead of counting anew each time. */
  readonly nextOf?: NextOf
}

export type NextOf = (routine: Routine, zone: string, after: number) => number | null

export interface Firing {
  readonly job: TimedJob
  readonly main: BranchId
  readonly due: number
  readonly isLate: boolean
}

export interface Skip extends Pick<Firing, 'main' | 'job' | 'due'> {
  readonly because: EventOf<'job-skipped'>['because']
}

export interface DueJobs {
  readonly firings: readonly Firing[]
  readonly skips: readonly Skip[]
  /** What the log has to know before any of it is done. */
  readonly known: readonly DraftOf<'job-scheduled'>[]
  /** Files of reminders that were fired before. */
  readonly leftOver: readonly TimedJob[]
  /** Due, and for somebody whom nobody knows. */
  readonly strangers: readonly TimedJob[]
  /** When something is due next, as far as anybody knows. */
  readonly nextAt: number | null
}

/** What is due at this moment, and what is missed. Decides; does nothing. */
export function dueJobs(reader: Reader, look: JobsLook): DueJobs {
  const owner = mainOf(reader, OWNER)
  if (owner === undefined) return NOTHING
  const looking = new Looking(reader, look, owner)
  const timed = look.jobs.filter(isTimed)
  for (const job of timed) looking.add(job)
  const names = new Set(timed.map(({ definition }) => jobText(nameOf(definition))))
  for (const name of look.before) if (!names.has(jobText(name))) looking.addGone(name)
  const { skips, known, leftOver, strangers, nextAt } = looking
  const firings = looking.firings.toSorted((one, other) => one.due - other.due)
  return { firings, skips, known, leftOver, strangers, nextAt }
}

const NOTHING: DueJobs = {
  firings: [],
  skips: [],
  known: [],
  leftOver: [],
  strangers: [],
  nextAt: null,
}

const DAY_MS = 86_400_000
/** What is done within so long is done on time. */
const ON_TIME_MS = 60_000

/** One look at all jobs: what it has found so far. */
class Looking {
  readonly firings: Firing[] = []
  readonly skips: Skip[] = []
  readonly known: DraftOf<'job-scheduled'>[] = []
  readonly leftOver: TimedJob[] = []
  readonly strangers: TimedJob[] = []
  nextAt: number | null = null
  readonly #reader: Reader
  readonly #look: JobsLook
  readonly #owner: BranchId
  readonly #mains = new Map<string, BranchId | undefined>()
  readonly #runs = new Map<BranchId, JobRuns>()

  constructor(reader: Reader, look: JobsLook, owner: BranchId) {
    this.#reader = reader
    this.#look = look
    this.#owner = owner
  }

  add(job: TimedJob): void {
    const { definition } = job
    const known = knownJob(this.#reader, nameOf(definition))
    if (definition.kind === 'routine') this.#addRoutine(job, definition, known)
    else this.#addReminder(job, definition, known)
  }

  addGone(name: JobName): void {
    const known = knownJob(this.#reader, name)
    if (known === undefined || known.schedule === null || isBroken(this.#look.broken, known.file)) return
    const gone = { ...name, file: known.file, schedule: null, due: null }
    this.known.push({ kind: 'job-scheduled', branch: this.#owner, at: this.#look.now, v: 1, ...gone })
  }

  #addRoutine(job: TimedJob, definition: Routine, known: KnownJob | undefined): void {
    const { now, settings, nextOf = countNext } = this.#look
    const zone = definition.timezone ?? settings.zone
    const baseline = this.#baseline(job, known)
    const next = nextOf(definition, zone, baseline)
    if (next === null) return
    if (next > now) return this.#later(next)
    const due = latestOf(definition, zone, { first: next, upTo: now, nextOf })
    const free = definition.background ? null : quietUntil(settings.quietHours, settings.zone, now)
    if (this.#isPaused(definition)) return
    if (free !== null) return this.#later(free)
    this.#decide(job, { due, isMissed: this.#isMissed(definition, due) })
  }

  /** Up to when its times are done with. */
  #baseline(job: TimedJob, known: KnownJob | undefined): number {
    const { now, lookedAt } = this.#look
    if (known === undefined || known.schedule !== scheduleText(job.definition)) {
      const since = Math.min(now, Math.max(job.changedAt, lookedAt ?? 0))
      return this.#schedule(job, { at: since, due: null })
    }
    const baseline = known.doneTo ?? known.since
    // The clock was wrong then, or is now: whatever it is, nobody waits for months.
    return baseline > now + DAY_MS ? this.#schedule(job, { at: now, due: null }) : baseline
  }

  #schedule(
    { definition, file }: TimedJob,
    { at, due }: { readonly at: number; readonly due: number | null },
  ): number {
    const since = instant(at)
    const schedule = { ...nameOf(definition), file, schedule: scheduleText(definition), due }
    this.known.push({ kind: 'job-scheduled', branch: this.#owner, at: since, v: 1, ...schedule })
    return since
  }

  #isMissed({ catchUp, background }: Routine, due: number): boolean {
    const { now, settings } = this.#look
    if (!this.#isLate(due)) return false
    // What is held for quiet hours is missed only after them.
    const held = background ? null : quietUntil(settings.quietHours, settings.zone, due)
    if (held !== null && !this.#isLate(held)) return false
    if (catchUp.kind === 'within') return now - (held ?? due) >= catchUp.ms
    return catchUp.kind === 'skip'
  }

  #addReminder(job: TimedJob, definition: Reminder, known: KnownJob | undefined): void {
    const { now, settings } = this.#look
    const isKnown = known !== undefined && known.schedule === scheduleText(definition) && known.due !== null
    const due = isKnown ? (known.due ?? 0) : dueOf(definition, settings.zone)
    if (!isKnown) this.#schedule(job, { at: now, due })
    if (firedAt(this.#reader, definition.id, due) !== undefined) return void this.leftOver.push(job)
    if (due > now) return this.#later(due)
    if (!this.#isPaused(definition)) this.#decide(job, { due, isMissed: false })
  }

  #decide(job: TimedJob, { due, isMissed }: { readonly due: number; readonly isMissed: boolean }): void {
    const { definition } = job
    const main = this.#mainOf(personOf(definition))
    if (isMissed) return this.#skip({ job, main: main ?? this.#owner, due, because: 'missed' })
    if (main === undefined) {
      this.strangers.push(job)
      return this.#skip({ job, main: this.#owner, due, because: 'nobody' })
    }
    if (isAtWork(this.#reader, { definition }, this.#runsOf(main)))
      return this.#skip({ job, main, due, because: 'running' })
    this.firings.push({ job, main, due, isLate: this.#isLate(due) })
  }

  /** A reminder waits. */
  #skip(skip: Skip): void {
    if (skip.job.definition.kind === 'routine') this.skips.push(skip)
  }

  #runsOf(main: BranchId): JobRuns {
    const runs = this.#runs.get(main) ?? jobRuns(this.#reader, main)
    this.#runs.set(main, runs)
    return runs
  }

  #mainOf(person: string): BranchId | undefined {
    if (!this.#mains.has(person)) this.#mains.set(person, mainOf(this.#reader, person))
    return this.#mains.get(person)
  }

  #isPaused(definition: TimedJob['definition']): boolean {
    const { now } = this.#look
    const pause = pauseOf(this.#reader, null, now) ?? pauseOf(this.#reader, nameOf(definition), now)
    if (pause?.until != null) this.#later(pause.until)
    return pause !== null
  }

  #isLate(due: number): boolean {
    const { now, startedAt } = this.#look
    return due < startedAt || now - due >= ON_TIME_MS
  }

  #later(at: number): void {
    this.nextAt = Math.min(this.nextAt ?? at, at)
  }
}

/** Mostly the first time is the only one, which is found much sooner. */
function latestOf(
  routine: Routine,
  zone: string,
  { first, upTo, nextOf }: { readonly first: number; readonly upTo: number; readonly nextOf: NextOf },
): number {
  const second = nextOf(routine, zone, first)
  if (second === null || second > upTo) return first
  return lastFiring(routine.cron ?? '', zone, { after: first, upTo }) ?? first
}

function countNext({ cron }: Routine, zone: string, after: number): number | null {
  return nextFiring(cron ?? '', zone, after)
}

function dueOf({ runAt, timezone }: Reminder, zone: string): number {
  return runAt === null ? 0 : instant(isoInstant(runAt, timezone ?? zone))
}

/** As an event may have it: files tell parts of milliseconds, and people the year 1066. */
function instant(at: number): number {
  return Math.max(0, Math.floor(at))
}

/** Whether what was fired last of a job is still being done. */
export function isAtWork(
  reader: Reader,
  { definition }: { readonly definition: TimedJob['definition'] },
  runs: JobRuns,
): boolean {
  const name = nameOf(definition)
  return runs.working.has(jobText(name)) || isInMain(reader, name)
}

/** Whether it is still to be fired, in the transaction that does: no time is fired twice (JOB1, JOB3). */
export function isStillDue(reader: Reader, { job, due }: Pick<Firing, 'job' | 'due'>, now: number): boolean {
  // Its time may have been put back since it was looked at: then it comes again.
  if (due > now) return false
  const { definition } = job
  const name = nameOf(definition)
  const known = knownJob(reader, name)
  if (known === undefined || known.schedule !== scheduleText(definition)) return false
  if (pauseOf(reader, null, now) !== null || pauseOf(reader, name, now) !== null) return false
  if (definition.kind === 'routine') return (known.doneTo ?? known.since) < due
  return known.due === due && firedAt(reader, name.job, due) === undefined
}
