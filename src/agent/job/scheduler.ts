import { Again } from '../../base/again.ts'
import type { Effects } from '../contract/effects.ts'
import { findDue, isStillDue, nothingDue, type DueJobs, type JobsLook } from './due-jobs.ts'
import { judgedFiles, pausesNow, skipDraft, strangersTold, zoneChange } from './job-records.ts'
import { isTimed, nameOf, type TimedJob } from '../state/jobs.ts'
import { knownJobs } from '../state/jobs.ts'
import type { Draft } from '../../event/event.ts'
import { jobText, type JobName } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { Sleep } from '../../model/contract/sleep.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { dropCalls, findCalls, GoneWebhooks, readyWebhooks } from './webhook-calls.ts'
import { breathe, chunks, fireJobs, whyOf, type FiringParts } from './fire-jobs.ts'
import { mainOf } from '../state/person.ts'
import { OWNER } from '../../event/speaker.ts'
import type { Happening } from '../../event/happening.ts'
import { JobRests } from './job-rests.ts'

export interface SchedulerParts extends FiringParts {
  readonly sleep: Sleep
  readonly agent: Pick<Effects, 'wake' | 'deliver'> & {
    watch(listener: (happening: Happening) => void): () => void
  }
  /** When this process began. Jobs that were due before are late. */
  readonly startedAt: number
  readonly warn: (text: string) => void
  /** Called with bugs and disk errors. */
  readonly fail: (error: unknown) => void
  /** The longest time between two looks. Tests set a longer one. */
  readonly lookMs?: number
}

/** Clocks are set and machines sleep, so no alarm is longer than this. */
const LOOK_MS = 60_000

/** Starts jobs when they are due, from files that people edit meanwhile. */
export class Scheduler {
  readonly #parts: SchedulerParts
  readonly #closing = new AbortController()
  readonly #unremovable = new WeakSet<TimedJob>()
  readonly #triedAt = new WeakMap<LoadedJob, number>()
  readonly #rests: JobRests
  readonly #goneWebhooks = new GoneWebhooks()
  readonly #rounds: Again
  readonly #checks: Again
  readonly #unwatch: () => void
  #alarm = new AbortController()
  #startedAt: number
  #lookedAt: number | null = null
  /** Jobs that had a file at the last look. Undefined: there was none. */
  #names: Names | undefined
  #seen = ''

  constructor(parts: SchedulerParts) {
    this.#parts = parts
    this.#rests = new JobRests(parts)
    this.#startedAt = parts.startedAt
    this.#rounds = new Again(() => this.#round(), { fail: parts.fail })
    this.#checks = new Again(() => this.#lookIfChanged(), { fail: parts.fail })
    this.#unwatch = parts.agent.watch(({ kind }) => {
      // A running round sees the change.
      if (kind === 'changed' && !this.#rounds.isRunning) void this.#checks.ask()
    })
    this.look()
  }

  /** Call when something may be due now, or sooner than before. */
  look(): void {
    void this.#rounds.ask()
  }

  /** Resolves when everything that is due now is done. */
  async settled(): Promise<void> {
    while (this.#rounds.isRunning || this.#checks.isRunning)
      await Promise.all([this.#rounds.settled(), this.#checks.settled()])
  }

  /** Resolves when no more jobs are started. */
  async close(): Promise<void> {
    this.#unwatch()
    this.#closing.abort()
    this.#alarm.abort()
    await Promise.all([this.#rounds.close(), this.#checks.close()])
  }

  /** Compares pauses, settings and calls of webhooks only: reading a thousand jobs after every event would take too long. */
  async #lookIfChanged(): Promise<void> {
    const state = await this.#parts.log.read((reader) => this.#stateOf(reader))
    if (state !== this.#seen) this.look()
  }

  #stateOf(reader: Reader): string {
    const { zone, quietHours, guests, unattendedMax } = this.#parts.settings()
    const calls = readyWebhooks(reader, this.#parts.now())
    return JSON.stringify([pausesNow(reader), zone, quietHours, guests, unattendedMax, calls])
  }

  async #round(): Promise<void> {
    const found = await this.#find()
    if (found === undefined) return this.#setAlarm(null)
    const { due, drafts, timed, broken } = found
    const hasWritten = await this.#record(due, drafts)
    // Before anything is fired: a routine that starts over must not find its old session.
    if (await this.#rests.end(timed, broken)) this.#parts.agent.deliver()
    const firing = { ...this.#parts, triedAt: this.#triedAt }
    const hasFired = await fireJobs(firing, due.firings, this.#closing.signal)
    await this.#tidy(due.leftOver)
    if (hasWritten || hasFired) return this.look()
    this.#setAlarm(due.nextAt)
    // Something may have changed since this round looked.
    void this.#checks.ask()
  }

  /** Finds due jobs and events to write. Undefined: nobody ever wrote here. */
  async #find() {
    const { log, shelf } = this.#parts
    const [now, settings] = [this.#parts.now(), this.#parts.settings()]
    // Setting the clock back makes nothing late.
    this.#startedAt = Math.min(this.#startedAt, now)
    const [timed, problems] = [shelf.jobs().filter(isTimed), shelf.problems()]
    const before = this.#names ?? (await log.read(namesKnown))
    const broken = new Set(problems.map(({ file }) => file))
    const due = await this.#due(timed, before, { now, settings, broken })
    const drafts = await log.read((reader) => {
      const branch = mainOf(reader, OWNER)
      if (branch === undefined) return undefined
      const place = { branch, at: now }
      this.#seen = this.#stateOf(reader)
      return [
        ...(timed.length + before.size > 0 ? zoneChange(reader, settings.zone, place) : []),
        ...judgedFiles(reader, problems, place),
        ...strangersTold(reader, due.strangers, place),
        ...due.told,
      ]
    })
    if (drafts === undefined) return undefined
    this.#lookedAt = now
    this.#names = namesAfter(before, timed, due)
    return { due, drafts, timed, broken }
  }

  /** A few jobs at a time, because looking at a thousand takes a while and people write meanwhile. */
  async #due(
    timed: readonly TimedJob[],
    before: Names,
    now: Pick<JobsLook, 'now' | 'settings' | 'broken'>,
  ): Promise<DueJobs> {
    const times = { ...now, startedAt: this.#startedAt, lookedAt: this.#lookedAt }
    const names = new Set(timed.map(({ definition }) => jobText(nameOf(definition))))
    const gone = [...before].filter(([name]) => !names.has(name)).map(([, name]) => name)
    const due = nothingDue()
    const parts = [{ jobs: [], gone }, ...chunks(timed, LOOKED_AT_MAX).map((jobs) => ({ jobs, gone: [] }))]
    for (const some of parts) {
      const look = { ...times, ...some }
      await this.#parts.log.read((reader) => findDue(reader, look, due))
      await breathe()
    }
    await this.#findCalls(times, due)
    due.firings.sort((one, other) => one.due - other.due)
    return due
  }

  async #findCalls(
    { now, settings, broken }: Pick<JobsLook, 'now' | 'settings' | 'broken'>,
    due: DueJobs,
  ): Promise<void> {
    const { log, shelf } = this.#parts
    const hooks = shelf.jobs().filter(({ definition }) => definition.kind === 'webhook')
    const gone = await log.read((reader) => {
      findCalls(reader, { hooks, now, settings }, due)
      return this.#goneWebhooks.find(reader, { hooks, now, broken })
    })
    for (const job of gone) await log.write((writing) => dropCalls(writing, job, now))
    if (gone.length > 0) this.#parts.agent.deliver()
  }

  /** Writes schedules, notices and skips before anything is fired. */
  async #record({ known, skips }: DueJobs, drafts: readonly Draft[]): Promise<boolean> {
    const { log, now, agent } = this.#parts
    for (const some of chunks([...known, ...drafts], RECORDS_MAX)) {
      const { zone } = this.#parts.settings()
      await log.write((writing) => {
        for (const draft of some)
          // The person may have changed the zone since this look began.
          if (draft.kind !== 'zone-set' || draft.zone === zone) writing.append(draft)
      })
      await breathe()
    }
    for (const some of chunks(skips, RECORDS_MAX)) {
      const at = now()
      await log.write((writing) => {
        for (const skip of some) if (isStillDue(writing, skip, at)) writing.append(skipDraft(skip, at))
      })
      await breathe()
    }
    const hasWritten = known.length + drafts.length + skips.length > 0
    // There may be notices to deliver.
    if (hasWritten) agent.deliver()
    return hasWritten
  }

  /** Removes files of reminders that the log has fired, now or before a crash (JOB1). */
  async #tidy(leftOver: readonly TimedJob[]): Promise<void> {
    const { shelf, warn } = this.#parts
    for (const job of leftOver) {
      // Another file may be in its place by now. A file that cannot be removed is reported once.
      if (!shelf.jobs().includes(job) || this.#unremovable.has(job)) continue
      this.#unremovable.add(job)
      await shelf.remove(job.file).catch((error: unknown) => {
        warn(
          `${job.file} has fired, but its file cannot be removed: ${whyOf(error)} It won't fire again; remove the file yourself.`,
        )
      })
    }
  }

  #setAlarm(nextAt: number | null): void {
    const { now, sleep, lookMs = LOOK_MS } = this.#parts
    this.#alarm.abort()
    if (this.#closing.signal.aborted) return
    const alarm = new AbortController()
    this.#alarm = alarm
    const waitMs = Math.min(Math.max((nextAt ?? Infinity) - now(), 1), lookMs)
    sleep(waitMs, alarm.signal).then(
      () => {
        this.look()
        // Another process may have changed settings on which chores depend.
        return this.#parts.agent.wake([])
      },
      () => undefined,
    )
  }
}

const RECORDS_MAX = 100
const LOOKED_AT_MAX = 100

type Names = ReadonlyMap<string, JobName>

function namesKnown(reader: Reader): Names {
  const known = [...knownJobs(reader, 'routine'), ...knownJobs(reader, 'reminder')]
  const scheduled = known.filter(({ schedule }) => schedule !== null)
  return new Map(scheduled.map(({ what, job }) => [jobText({ what, job }), { what, job }]))
}

function namesAfter(before: Names, timed: readonly TimedJob[], { known }: DueJobs): Names {
  const names = new Map(before)
  for (const { schedule, what, job } of known) if (schedule === null) names.delete(jobText({ what, job }))
  for (const { definition } of timed) names.set(jobText(nameOf(definition)), nameOf(definition))
  return names
}
