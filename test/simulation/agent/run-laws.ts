import type { Event, EventOf } from '../../../src/event/event.ts'
import type { BranchId, Position } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'
import type { Tree } from './tree.ts'

interface RunNow {
  readonly started: EventOf<'run-started'>
  begunAt: number | undefined
  /** Positions of its unasked messages and of the reports about it, oldest first. */
  readonly pings: Position[]
  readonly reports: EventOf<'update-reported'>[]
  sentBack: number
  /** It rests until its job is fired again. */
  rested: EventOf<'run-rested'> | undefined
  ended: EventOf<'branch-ended'> | undefined
}

const SENT_BACK_MAX = 2
/** Events that nobody may write for an ended run; outcomes of its messages and requests may still come. */
const DEEDS: ReadonlySet<Event['kind']> = new Set([
  'inbound-admitted',
  'turn-started',
  'turn-ended',
  'message-added',
  'model-called',
  'model-answered',
  'model-failed',
  'call-decided',
  'process-started',
  'approval-asked',
  'run-sent-back',
  'mail-sent',
  'mail-read',
  'mark-set',
  'context-cleared',
  'context-compacted',
  'branch-ended',
])

/** Work left undone when a run rests is ended when its job fires again; others may write to it. */
const GIVEN_UP: ReadonlySet<Event['kind']> = new Set([
  'turn-started',
  'turn-ended',
  'context-compacted',
  'mail-sent',
  'branch-ended',
])

/** RUN1 and RUN2: a run ends once and is silent then; what it owes is reported, by itself or in its name. */
export class RunLaws {
  readonly runs = new Map<BranchId, RunNow>()
  readonly #tree: Tree
  /** How often runs ended, by reason. */
  readonly ends = new Map<string, number>()
  reportedByHost = 0
  /** Firings that continued the branch of the previous one. */
  takenUp = 0
  readonly #resting = new Set<BranchId>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  take(event: Event): void {
    if (event.kind === 'run-started') return this.#start(event)
    if (event.kind === 'update-reported') return this.#report(event)
    if (event.kind === 'ping-decided') return this.#ping(event)
    const run = this.runs.get(event.branch)
    if (run === undefined) return
    this.#checkSilent(event, run)
    if (event.kind === 'turn-started') run.begunAt ??= event.at
    if (event.kind === 'run-rested') this.#rest(event, run)
    if (event.kind === 'run-sent-back') this.#sendBack(event, run)
    if (event.kind === 'message-added') checkWords(event, run)
    if (event.kind === 'branch-ended') this.#end(event, run)
  }

  /** A living run is at work, or has something to do. */
  idle(id: BranchId): string | undefined {
    const run = this.runs.get(id)
    const isOver = run === undefined || run.ended !== undefined || run.rested !== undefined
    return isOver ? undefined : `[RUN1] ${id} lives and does nothing`
  }

  /** Whether a branch ever rested: its unfinished work is dropped. */
  hasRested(id: BranchId): boolean {
    return this.#resting.has(id)
  }

  isResting(id: BranchId): boolean {
    return this.runs.get(id)?.rested !== undefined
  }

  isOutOfTime(id: BranchId): boolean {
    return this.runs.get(id)?.ended?.reason === 'timed-out'
  }

  #start(event: EventOf<'run-started'>): void {
    const { branch, position } = event
    hold(this.#tree.branch(branch).mode === 'background', `${position} starts a run that is none`)
    const before = this.runs.get(branch)
    if (before !== undefined) this.#takeUp(before, event)
    else if (event.session === 'persistent') this.#checkAnew(event)
    const fresh = { begunAt: undefined, sentBack: 0, rested: undefined, ended: undefined }
    this.runs.set(branch, { started: event, pings: [], reports: [], ...fresh })
  }

  #takeUp({ started, rested }: RunNow, { branch, position, session, job }: EventOf<'run-started'>): void {
    const isSame = rested !== undefined && session === 'persistent' && started.job === job
    hold(isSame, `[RUN1] ${branch} is started a second time at ${position}`)
    this.takenUp++
  }

  /** A new branch begins only if none rests. */
  #checkAnew({ job, tag, branch, position }: EventOf<'run-started'>): void {
    const { parent } = this.#tree.branch(branch)
    const resting = [...this.runs].find(
      ([id, { started, rested, ended }]) =>
        rested !== undefined &&
        ended === undefined &&
        started.job === job &&
        started.tag === tag &&
        this.#tree.branch(id).parent === parent,
    )
    hold(resting === undefined, `[RUN1] ${job} rests in ${resting?.[0]}, and begins anew at ${position}`)
  }

  #rest(event: EventOf<'run-rested'>, run: RunNow): void {
    const { branch, position, reason } = event
    hold(run.started.session === 'persistent', `[RUN1] ${branch} rests at ${position}, and is over`)
    hold(!isOwing(run), `[RUN2] ${branch} rests at ${position}, and owes a report`)
    this.ends.set(`${reason} for now`, (this.ends.get(`${reason} for now`) ?? 0) + 1)
    run.rested = event
    this.#resting.add(branch)
  }

  #checkSilent(event: Event, { ended, rested }: RunNow): void {
    const over = ended ?? rested
    if (over === undefined || !DEEDS.has(event.kind)) return
    if (ended === undefined && GIVEN_UP.has(event.kind)) return
    throw new Error(`[RUN1] ${event.branch} ended at ${over.position}, and ${event.position} is of it`)
  }

  #report(event: EventOf<'update-reported'>): void {
    const run = event.from === null ? undefined : this.runs.get(event.from)
    if (run === undefined) return
    const { author, position } = event
    hold(run.ended === undefined, `[RUN1] ${event.from} has ended, and reports at ${position}`)
    const { reporting } = run.started
    hold(reporting !== 'blocked', `[RUN2] ${event.from} may not report, and does at ${position}`)
    if (author.by === 'policy') {
      hold(isOwing(run), `[RUN2] ${position} reports for ${event.from}, which owes nothing`)
      this.reportedByHost++
    }
    run.reports.push(event)
  }

  #ping({ run: id, verdict, position, of }: EventOf<'ping-decided'>): void {
    const run = id === null ? undefined : this.runs.get(id)
    // A held ping is sent when the person is free, whatever happened to the run.
    if (run === undefined || verdict === 'refused' || of !== undefined) return
    hold(run.ended === undefined, `[RUN1] ${id} has ended, and pings at ${position}`)
    run.pings.push(position)
  }

  #sendBack({ position, branch, turn }: EventOf<'run-sent-back'>, run: RunNow): void {
    hold(isOwing(run), `[RUN2] ${branch} is sent back at ${position}, and owes nothing`)
    run.sentBack++
    hold(run.sentBack <= SENT_BACK_MAX, `[RUN2] ${branch} is sent back ${run.sentBack} ×`)
    const { running } = this.#tree.branch(branch)
    hold(running?.id === turn, `[RUN2] ${branch} is sent back at ${position} by a turn that is over`)
  }

  #end(event: EventOf<'branch-ended'>, run: RunNow): void {
    const { branch, reason, position } = event
    run.ended = event
    this.ends.set(reason, (this.ends.get(reason) ?? 0) + 1)
    hold(!isOwing(run), `[RUN2] ${branch} is ${reason} at ${position}, and owes a report`)
    const { last } = this.#tree.branch(branch)
    const outcome = { finished: 'answered', failed: 'failed' }[reason as string]
    // A context that was cleared meanwhile separates a run from its turn.
    const isRight =
      outcome === undefined || last === undefined || last.outcome === outcome || run.rested !== undefined
    hold(isRight, `[RUN1] ${branch} is ${reason} at ${position}, and its turn ${last?.outcome}`)
  }
}

/** The rules as people read them. */
function isOwing({ started, pings, reports, begunAt }: RunNow): boolean {
  if (begunAt === undefined) return false
  const last = reports.at(-1)?.position
  const hasPinged = pings.some((ping) => last === undefined || ping > last)
  if (started.reporting === 'on_ping') return hasPinged
  return started.reporting === 'always' && (hasPinged || last === undefined)
}

const QUOTING: ReadonlySet<string> = new Set(['recall', 'read_log'])

/** A run that may not report is never told of reporting in any of the host's texts. */
function checkWords({ message, position }: EventOf<'message-added'>, { started }: RunNow): void {
  if (started.reporting !== 'blocked' || message.role === 'assistant') return
  // Quoted text comes back as it was said.
  if (message.role === 'tool' && QUOTING.has(message.tool)) return
  const words =
    message.role === 'user' ? [message.head, ...(message.before ?? []), message.text] : [message.text]
  const isTold = words.some((text) => text?.includes('report_updates') === true)
  hold(!isTold, `[RUN2] ${position} tells ${started.branch} of reporting, and it may not`)
}
