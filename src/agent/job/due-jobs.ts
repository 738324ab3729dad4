import { clockIn } from '../../base/time-text.ts'
import type { Draft, DraftOf, EventOf } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import { jobText, type JobName } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { Definition, Reminder, Routine } from '../../schedule/definition.ts'
import { lastFiring, nextFiring } from '../../schedule/occurrence.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { quietUntil } from '../../schedule/quiet-hours.ts'
import { jobRuns, type JobRuns } from '../run/run-act.ts'
import { isInMain } from '../step/job-in-main.ts'
import { unattendedOn, unattendedTold } from '../state/cause.ts'
import { isBroken, nameOf, reminderDue, scheduleText, type TimedJob } from '../state/jobs.ts'
import { firedAt, firstCall, knownJob, pauseOf, type Call, type KnownJob } from '../state/jobs.ts'
import { settingsFor, type AgentSettings } from '../state/settings.ts'
import { mainOf } from '../state/person.ts'
import { OWNER, personOf } from '../../event/speaker.ts'

export interface JobsLook {
  readonly jobs: readonly TimedJob[]
  readonly now: number
  /** When this process began. */
  readonly startedAt: number
  /** When the files were last looked at. Null: not since this process began. */
  readonly lookedAt: number | null
  readonly settings: Pick<AgentSettings, 'zone' | 'quietHours'> &
    Partial<Pick<AgentSettings, 'guests' | 'unattendedMax'>>
  /** Jobs that had a file before, and have none now. */
  readonly gone: readonly JobName[]
  /** Files and folders that have a problem now. */
  readonly broken: ReadonlySet<string>
}

export interface Firing {
  readonly job: LoadedJob
  readonly main: BranchId
  readonly due: number
  readonly isLate: boolean
  /** For a webhook: the call that it runs with. */
  readonly call?: Call
}

export interface Skip extends Pick<Firing, 'main' | 'job' | 'due'> {
  readonly because: EventOf<'job-skipped'>['because']
}

export interface DueJobs {
  readonly firings: Firing[]
  readonly skips: Skip[]
  /** Events to write before anything is fired. */
  readonly known: DraftOf<'job-scheduled'>[]
  /** Reminders that were fired and still have a file. */
  readonly leftOver: TimedJob[]
  /** Events to write because jobs wait for another day. */
  readonly told: Draft[]
  /** Jobs that are due for somebody who never wrote here. */
  readonly strangers: LoadedJob[]
  nextAt: number | null
}

export function nothingDue(): DueJobs {
  return { firings: [], skips: [], known: [], leftOver: [], told: [], strangers: [], nextAt: null }
}

/** Adds to `due` which of these jobs are due or missed at this moment. Decides; does nothing. */
export function findDue(reader: Reader, look: JobsLook, due: DueJobs): void {
  const owner = mainOf(reader, OWNER)
  if (owner === undefined) return
  const looking = new Looking(reader, { ...look, owner }, due)
  for (const job of look.jobs) if (!isOfGone(reader, job)) looking.add(job)
  for (const name of look.gone) looking.addGone(name)
}

/** Jobs in the folder of somebody who was removed end with them, without a word to the owner. */
function isOfGone(reader: Reader, { definition }: TimedJob): boolean {
  const person = personOf(definition)
  return definition.id.startsWith(`${person}/`) && mainOf(reader, person) === undefined
}

const DAY_MS = 86_400_000
/** A job that starts within this time is on time. */
const ON_TIME_MS = 60_000

class Looking {
  readonly #due: DueJobs
  readonly #reader: Reader
  readonly #look: JobsLook & { readonly owner: BranchId }
  readonly #mains = new Map<string, BranchId | undefined>()
  readonly #runs = new Map<BranchId, JobRuns>()

  constructor(reader: Reader, look: JobsLook & { readonly owner: BranchId }, due: DueJobs) {
    this.#reader = reader
    this.#look = look
    this.#due = due
  }

  add(job: TimedJob): void {
    const { definition } = job
    const known = knownJob(this.#reader, nameOf(definition))
    if (definition.kind === 'routine') this.#addRoutine(job, definition, known)
    else this.#addReminder(job, definition, known)
  }

  #settingsOf(definition: Routine | Reminder): JobsLook['settings'] {
    return settingsFor(this.#look.settings, personOf(definition))
  }

  addGone(name: JobName): void {
    const known = knownJob(this.#reader, name)
    if (known === undefined || known.schedule === null || isBroken(this.#look.broken, known.file)) return
    const { owner: branch, now: at } = this.#look
    const gone = { ...name, file: known.file, schedule: null, due: null }
    this.#due.known.push({ kind: 'job-scheduled', branch, at, ...gone })
  }

  #addRoutine(job: TimedJob, definition: Routine, known: KnownJob | undefined): void {
    const { now } = this.#look
    const settings = this.#settingsOf(definition)
    const zone = definition.timezone ?? settings.zone
    const baseline = this.#baseline(job, known)
    const next = nextOf(definition, zone, baseline)
    if (next === null) return
    if (next > now) return this.#later(next)
    const due = latestOf(definition, zone, { first: next, upTo: now })
    const free = definition.background ? null : quietUntil(settings.quietHours, settings.zone, now)
    if (this.#isPaused(definition) || this.#waits(definition)) return
    if (free !== null) return this.#later(free)
    this.#decide(job, { due, isMissed: this.#isMissed(definition, due) })
  }

  /** The time up to which its firings are settled. */
  #baseline(job: TimedJob, known: KnownJob | undefined): number {
    const { now, lookedAt } = this.#look
    if (known === undefined || known.schedule !== scheduleText(job.definition)) {
      const since = Math.min(now, Math.max(job.changedAt, lookedAt ?? 0))
      return this.#schedule(job, { at: since, due: null })
    }
    const baseline = known.done_to ?? known.since
    // The clock was wrong then or is wrong now. Start over, or the routine might wait for months.
    return baseline > now + DAY_MS ? this.#schedule(job, { at: now, due: null }) : baseline
  }

  #schedule(
    { definition, file }: TimedJob,
    { at, due }: { readonly at: number; readonly due: number | null },
  ): number {
    // File times have fractions of milliseconds, which events don't.
    const since = Math.max(0, Math.floor(at))
    const schedule = { ...nameOf(definition), file, schedule: scheduleText(definition), due }
    this.#due.known.push({ kind: 'job-scheduled', branch: this.#look.owner, at: since, ...schedule })
    return since
  }

  #isMissed(definition: Routine, due: number): boolean {
    const { now } = this.#look
    const { catchUp, background } = definition
    const settings = this.#settingsOf(definition)
    if (!this.#isLate(due)) return false
    // A routine held for quiet hours is missed only after they end.
    const held = background ? null : quietUntil(settings.quietHours, settings.zone, due)
    if (held !== null && !this.#isLate(held)) return false
    if (catchUp.kind === 'within') return now - (held ?? due) >= catchUp.ms
    return catchUp.kind === 'skip'
  }

  #addReminder(job: TimedJob, definition: Reminder, known: KnownJob | undefined): void {
    const { now } = this.#look
    const due = reminderDue(this.#reader, definition, this.#settingsOf(definition).zone) ?? 0
    const isKnown = known?.due != null && known.schedule === scheduleText(definition)
    if (!isKnown) this.#schedule(job, { at: now, due })
    if (firedAt(this.#reader, definition.id, due) !== undefined) return void this.#due.leftOver.push(job)
    if (due > now) return this.#later(due)
    if (!this.#isPaused(definition) && !this.#waits(definition)) this.#decide(job, { due, isMissed: false })
  }

  #decide(job: TimedJob, { due, isMissed }: { readonly due: number; readonly isMissed: boolean }): void {
    const { definition } = job
    const main = this.#mainOf(personOf(definition))
    if (isMissed) return this.#skip({ job, main: main ?? this.#look.owner, due, because: 'missed' })
    if (main === undefined) {
      this.#due.strangers.push(job)
      return this.#skip({ job, main: this.#look.owner, due, because: 'nobody' })
    }
    if (isAtWork(this.#reader, nameOf(definition), this.#runsOf(main)))
      return this.#skip({ job, main, due, because: 'running' })
    this.#due.firings.push({ job, main, due, isLate: this.#isLate(due) })
  }

  /** Only routines are skipped; a reminder waits. */
  #skip(skip: Skip): void {
    if (skip.job.definition.kind === 'routine') this.#due.skips.push(skip)
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

  /** Looked at again with the next job, and at the latest a minute later: the limit may be raised. */
  #waits(definition: TimedJob['definition']): boolean {
    const { now, settings } = this.#look
    const waits = mustWait(this.#reader, definition, { now, settings })
    if (waits && this.#due.told.length === 0)
      this.#due.told.push(...waitTold(this.#reader, { now, settings }))
    return waits
  }

  #isLate(due: number): boolean {
    const { now, startedAt } = this.#look
    return due < startedAt || now - due >= ON_TIME_MS
  }

  #later(at: number): void {
    this.#due.nextAt = Math.min(this.#due.nextAt ?? at, at)
  }
}

/** Usually there is only one time, which is found much faster. */
function latestOf(
  routine: Routine,
  zone: string,
  { first, upTo }: { readonly first: number; readonly upTo: number },
): number {
  const second = nextOf(routine, zone, first)
  if (second === null || second > upTo) return first
  return lastFiring(routine.cron ?? '', zone, { after: first, upTo }) ?? first
}

/** The next time of each routine is computed once, so that a look at a thousand routines is quick. */
const nextTimes = new WeakMap<Routine, { zone: string; after: number; next: number | null }>()

function nextOf(routine: Routine, zone: string, after: number): number | null {
  const known = nextTimes.get(routine)
  if (known?.zone === zone && known.after === after) return known.next
  const next = routine.cron === null ? null : nextFiring(routine.cron, zone, after)
  nextTimes.set(routine, { zone, after, next })
  return next
}

type Today = Pick<JobsLook, 'now' | 'settings'>

/**
 * Whether a job must wait because jobs have called models as often as they may today (CAUSE3). A reminder that speaks up
 * in a main session comes: its text needs no model.
 */
export function mustWait(reader: Reader, { kind, background }: Definition, today: Today): boolean {
  return (kind !== 'reminder' || background) && isUsedUp(reader, today)
}

export function isUsedUp(reader: Reader, { now, settings }: Today): boolean {
  const { unattendedMax = Infinity, zone } = settings
  return unattendedOn(reader, clockIn(now, zone).date) >= unattendedMax
}

export function waitTold(reader: Reader, { now: at, settings }: Today): Draft[] {
  const { unattendedMax: max = Infinity, zone } = settings
  return unattendedTold(reader, { at, day: clockIn(at, zone).date, max })
}

/** Whether the last firing of a job is still running. */
export function isAtWork(reader: Reader, name: JobName, runs: JobRuns): boolean {
  return runs.working.has(jobText(name)) || isInMain(reader, name)
}

/** Whether a job is still due, checked in the transaction that fires it, so that no time is fired twice (JOB1, JOB3). */
export function isStillDue(
  reader: Reader,
  firing: Pick<Firing, 'job' | 'due' | 'call'>,
  now: number,
): boolean {
  const { job, due, call } = firing
  // The clock may have been set back since the look. The job comes again.
  if (due > now) return false
  const { definition } = job
  const name = nameOf(definition)
  if (pauseOf(reader, null, now) !== null || pauseOf(reader, name, now) !== null) return false
  if (call !== undefined) return firstCall(reader, name.job)?.position === call.position
  const known = knownJob(reader, name)
  if (known === undefined || known.schedule !== scheduleText(definition)) return false
  if (definition.kind === 'routine') return (known.done_to ?? known.since) < due
  return known.due === due && firedAt(reader, name.job, due) === undefined
}
