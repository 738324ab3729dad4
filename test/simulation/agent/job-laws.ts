import type { Event, EventOf } from '../../../src/event/event.ts'
import type { BranchId, Position } from '../../../src/event/id.ts'
import { jobText, type JobName } from '../../../src/event/job.ts'
import type { Definition, Reminder, Routine } from '../../../src/schedule/definition.ts'
import type { LoadedJob } from '../../../src/schedule/job-shelf.ts'
import type { Sorted } from '../../../src/schedule/shelving.ts'
import { hold } from '../witness.ts'
import type { InboxLaws } from './inbox-laws.ts'
import { isFiringTime, isInstantOf } from './naive-time.ts'
import type { PauseLaws } from './pause-laws.ts'

type Fired = EventOf<'job-fired'>
type Scheduled = EventOf<'job-scheduled'>

/** The surroundings of jobs that are not in the log, as they may have been at the time of a decision. */
export interface JobAmbient {
  readonly zones: () => readonly string[]
  readonly hadQuietHours: () => boolean
}

interface Known {
  readonly scheduled: Scheduled
  doneTo: number | null
  fired: Fired | undefined
}

const DAY_MS = 86_400_000
/** How often, at most, it looks for changes between a look and its outcome. */
const LOOKS = 8

/** JOB1 to JOB3, from the log and the files: each time fires once, none too early, and no job overlaps itself. */
export class JobLaws {
  ambient: JobAmbient | undefined
  readonly #inbox: InboxLaws
  readonly #pauses: PauseLaws
  readonly #known = new Map<string, Known>()
  /** Reminders that were fired: `once-1 1772611200000`. */
  readonly #fired = new Map<string, Position>()
  /** The jobs that the living process knows. */
  #seen: readonly LoadedJob[] = []
  /** The jobs it knew at its last look, and at the looks before. */
  #looks: (readonly LoadedJob[])[] = []
  readonly #judged = new Map<string, string | null>()
  /** Notices owed for broken files. */
  #owed: string[] = []
  #problems: Sorted['problems'] = []
  /** Firings of this commit. */
  #firings: Fired[] = []
  /** Living runs, by job; resting ones do not count. */
  readonly #runs = new Map<string, BranchId>()
  leftOver = 0

  constructor(inbox: InboxLaws, pauses: PauseLaws) {
    this.#inbox = inbox
    this.#pauses = pauses
  }

  /** A process knows these files from now on. */
  sees({ jobs, problems }: Sorted): void {
    this.#problems = problems
    this.#seen = jobs
  }

  /** It looks at the jobs it knows: what it writes soon after is based on them. */
  looks(): void {
    this.#looks = [this.#seen, ...this.#looks].slice(0, LOOKS)
  }

  /** The host removes a job's file: according to the log, the job must be done. */
  tidies({ definition, file }: LoadedJob, isOld: (position: Position) => boolean = () => false): void {
    if (definition.kind !== 'reminder') return hold(false, `[JOB1] ${file} is no reminder, and it is removed`)
    const due = this.#known.get(keyOf(definition))?.scheduled.due
    const fired = due == null ? undefined : this.#fired.get(firedKey(definition.id, due))
    hold(fired !== undefined, `[JOB1] ${file} is removed, and it was not fired`)
    if (isOld(fired)) this.leftOver++
  }

  take(event: Event): void {
    switch (event.kind) {
      case 'job-scheduled':
        return this.#schedule(event)
      case 'job-fired':
        return this.#fire(event)
      case 'job-skipped':
        return this.#skip(event)
      case 'run-started':
        return this.#start(event)
      case 'run-rested':
      case 'branch-ended':
        return this.#end(event.branch)
      case 'definition-judged':
        return this.#judge(event)
      case 'notice-raised':
        return this.#notice(event)
      default:
    }
  }

  /** All of it became durable at once. */
  committed(): void {
    const [left] = this.#owed
    hold(left === undefined, `[JOB2] ${left} is wrong, and nobody is to be told`)
    for (const fired of this.#firings) this.#checkSaid(fired)
    this.#firings = []
  }

  /** A task says whether it is late; in main it is written after the firing, otherwise before. */
  #checkSaid({ position, run, isLate }: Fired): void {
    const said = this.#inbox.entries.get((run === null ? position + 1 : position - 1) as Position)?.admitted
    hold(run === null || said?.branch === run, `[JOB1] ${position} is fired, and ${run} is told nothing`)
    if (said === undefined || said.source.from !== 'host') return
    hold((said.late !== undefined) === isLate, `[JOB1] ${said.position} does not say that it comes late`)
  }

  /** When the next reminder is due, of those with files and somebody waiting. */
  nextAt(now: number): { readonly what: string; readonly at: number } | undefined {
    const coming = this.#seen.flatMap(({ definition }) => {
      if (definition.kind !== 'reminder' || definition.person !== null) return []
      if (this.#pauses.isPaused(nameOf(definition), now)) return []
      const due = this.#known.get(keyOf(definition))?.scheduled.due
      return { what: `${keyOf(definition)} is to come`, at: due ?? now }
    })
    return coming.toSorted((a, b) => a.at - b.at)[0]
  }

  /** Exactly the broken files are known to be broken. */
  settled(): void {
    for (const { file, line, reason } of this.#problems)
      hold(
        this.#judged.get(file) === `${line}: ${reason}`,
        `[JOB2] ${file} is wrong, and nobody knows: ${reason}`,
      )
    for (const [file, reason] of this.#judged) {
      const isWrong = this.#problems.some((problem) => problem.file === file)
      hold(isWrong === (reason !== null), `[JOB2] ${file} is said to be ${reason ?? 'right'}, and is not`)
    }
  }

  #candidates(key: string): readonly LoadedJob[] {
    return this.#looks.flatMap((jobs) => jobs.filter(({ definition }) => keyOf(definition) === key))
  }

  #schedule(event: Scheduled): void {
    const { position, schedule, due, at, root } = event
    // Its file comes next.
    if (root !== undefined) return
    const key = jobText(event)
    const before = this.#known.get(key)
    const baseline = before?.doneTo ?? before?.scheduled.at ?? 0
    const isNew = before === undefined || before.scheduled.schedule !== schedule
    hold(isNew || baseline > at + DAY_MS, `[JOB3] ${key} begins anew at ${position}, with the same schedule`)
    this.#known.set(key, { scheduled: event, doneTo: null, fired: before?.fired })
    if (this.ambient === undefined || schedule === null) return
    const { zones } = this.ambient
    const isSo = this.#candidates(key).some(
      ({ definition }) =>
        scheduleOf(definition) === schedule &&
        (definition.kind !== 'reminder' || zones().some((zone) => isDueOf(definition, zone, due))),
    )
    hold(isSo, `[JOB1] ${key} is said to be due '${schedule}' (${due}) at ${position}, and no file says so`)
  }

  #fire(event: Fired): void {
    const { what, job, due, at, position } = event
    const key = jobText(event)
    const known = this.#known.get(key)
    hold(known !== undefined, `[JOB1] ${key} is fired at ${position}, and nobody knew it`)
    hold(!this.#pauses.isPaused(event, at), `[JOB3] ${key} is paused, and fired at ${position}`)
    hold(due <= at, `[JOB1] ${key} is fired at ${position}, ${due - at} ms too early`)
    if (what === 'reminder') {
      hold(!this.#fired.has(firedKey(job, due)), `[JOB1] ${key} is fired a second time at ${position}`)
      hold(known.scheduled.due === due, `[JOB1] ${key} is fired for ${due}, and due ${known.scheduled.due}`)
      this.#fired.set(firedKey(job, due), position)
    } else
      hold(
        due > (known.doneTo ?? known.scheduled.at),
        `[JOB3] ${key} is fired again for ${due} at ${position}`,
      )
    this.#checkApart(event, known.fired)
    this.#checkFile(event)
    known.doneTo = due
    known.fired = event
    this.#firings.push(event)
  }

  /** In main, a job begins before it fires again; for background runs see `#start`. */
  #checkApart({ run, position }: Fired, before: Fired | undefined): void {
    if (run !== null || before === undefined || before.run !== null) return
    const entry = this.#inbox.entries.get((before.position + 1) as Position)
    const waits = entry !== undefined && this.#inbox.waiting(entry.admitted.branch).includes(entry)
    hold(!waits, `[JOB3] what was fired at ${before.position} waits still, and is fired again at ${position}`)
  }

  #checkFile(event: Fired): void {
    if (this.ambient === undefined) return
    const reasons = this.#candidates(jobText(event)).map((job) => this.#whyNot(job.definition, event))
    hold(
      reasons.includes(undefined),
      `[JOB3] ${jobText(event)} at ${event.position}: ${reasons.join(', or ')}`,
    )
  }

  /** Why a file does not match what was done. */
  #whyNot(definition: Definition, { due, run, isLate }: Fired): string | undefined {
    if (definition.kind === 'webhook') return 'it is a webhook'
    // A reminder at a ceiling comes as its text, and starts nothing (CAUSE2).
    const isBare = definition.kind === 'reminder' && run === null
    if (definition.background !== (run !== null) && !isBare) return 'it works elsewhere'
    if (definition.kind === 'reminder') return undefined
    const { catchUp, background } = definition
    const isHeld = !background && this.ambient?.hadQuietHours() === true
    if (isLate && catchUp.kind === 'skip' && !isHeld) return 'it was missed, and is not caught up on'
    return this.#isTime(definition, due) ? undefined : `${due} is no time of '${definition.cron}'`
  }

  #isTime({ cron, timezone }: Routine, due: number): boolean {
    const zones = timezone === null ? (this.ambient?.zones() ?? []) : [timezone]
    return zones.some((zone) => isFiringTime(cron ?? '', zone, due))
  }

  #skip(event: EventOf<'job-skipped'>): void {
    const { what, due, because, position, at } = event
    const key = jobText(event)
    const known = this.#known.get(key)
    hold(what === 'routine', `[JOB1] ${key} is skipped at ${position}, and no routine`)
    hold(!this.#pauses.isPaused(event, at), `[JOB3] ${key} is paused, and skipped at ${position}`)
    const since = known?.doneTo ?? known?.scheduled.at ?? Infinity
    hold(due > since, `[JOB3] ${key} is skipped for ${due} at ${position}, which is done with`)
    if (known !== undefined) known.doneTo = due
    if (this.ambient === undefined) return
    const isSo = this.#candidates(key).some(({ definition }) => {
      if (definition.kind !== 'routine' || !this.#isTime(definition, due)) return false
      return because !== 'missed' || definition.catchUp.kind !== 'once'
    })
    hold(isSo, `[JOB3] ${key} is skipped for ${due} at ${position} (${because}), and no file says so`)
  }

  #start({ tag, job, branch, position }: EventOf<'run-started'>): void {
    const key = jobText({
      what: tag === 'webhook' ? tag : tag === 'routine-bg' ? 'routine' : 'reminder',
      job,
    })
    const other = this.#runs.get(key)
    hold(other === undefined, `[JOB3] ${key} runs as ${other}, and is started at ${position} as ${branch}`)
    this.#runs.set(key, branch)
  }

  #end(branch: BranchId): void {
    for (const [key, run] of this.#runs) if (run === branch) this.#runs.delete(key)
  }

  #judge({ file, problem, position }: EventOf<'definition-judged'>): void {
    const before = this.#judged.get(file) ?? null
    const now = problem && `${problem.line}: ${problem.reason}`
    hold(before !== now, `[JOB2] ${file} is judged again at ${position}, and nothing changed`)
    this.#judged.set(file, now)
    if (now !== null) this.#owed.push(`definition ${file}`)
  }

  #notice({ cause, position }: EventOf<'notice-raised'>): void {
    if (!cause.startsWith('definition ')) return
    hold(this.#owed.includes(cause), `[JOB2] '${cause}' is to be told at ${position}, and nothing changed`)
    this.#owed = this.#owed.filter((other) => other !== cause)
  }
}

function nameOf({ kind, id }: Definition): JobName {
  return { what: kind, job: id }
}

function keyOf(definition: Definition): string {
  return jobText(nameOf(definition))
}

function firedKey(job: string, due: number): string {
  return `${job} ${due}`
}

/** The schedule as a person reads it from the file. */
function scheduleOf(definition: Definition): string | null {
  if (definition.kind === 'webhook') return null
  const own = definition.timezone === null ? '' : ` ${definition.timezone}`
  if (definition.kind === 'routine') return definition.cron === null ? null : `${definition.cron}${own}`
  const { runAt } = definition
  if (runAt === null) return null
  return `${runAt}${own}`
}

function isDueOf({ runAt, timezone }: Reminder, zone: string, due: number | null): boolean {
  if (runAt === null || due === null) return false
  if (/[+-]\d\d:\d\d$/.test(runAt)) return Date.parse(runAt) === due
  return isInstantOf(runAt, timezone ?? zone, due)
}
