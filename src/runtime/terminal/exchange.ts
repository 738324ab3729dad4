import { dueIn } from '../../agent/branch/due.ts'
import { admittedAt, isWaiting, type Waiting } from '../../agent/state/inbox.ts'
import { addressKey, say } from '../../agent/state/outbox.ts'
import { inboundTable } from '../../agent/state/tables.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import { stopWork } from '../../agent/branch/stop-act.ts'
import { causeOf } from '../../agent/state/asker.ts'
import { sentence } from '../../base/words.ts'
import type { Received } from '../../command/door/reception.ts'
import { findBranch, getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import type { Event, EventOf } from '../../event/event.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import { allRows, type Reader } from '../../event/table.ts'
import type { Life } from '../life/life.ts'
import { isTypedAt, terminalAddress, typedInbound } from './place.ts'

type Intent = EventOf<'delivery-intended'>

/** Something that was typed, from its arrival until everything it caused is done. */
export interface Exchange {
  /**
   * What a delivery to the terminal is to this exchange: its result, a question or remark of the host on the way, or
   * nothing, if it has another cause.
   */
  partOf(intent: Intent): Promise<Part>
  /** Resolves once it is in the log, or was refused. */
  readonly received: Promise<void>
  /** What comes in after this position belongs to another exchange. */
  endAt(position: number): void
  /** Undefined when there was nothing to do, or `signal` came first. */
  readonly outcome: Promise<Outcome | undefined>
}

type Part = 'result' | 'aside' | 'nothing'

export interface Outcome {
  /** The name of the branch whose turn took it, such as the fork that /reply opened; for commands, where they came in. */
  readonly branch: string
  /** The turn that took it; null for commands. */
  readonly turn: TurnId | null
  /** All of it. */
  readonly deliveries: readonly Intent[]
  /** Its results, without questions and remarks on the way. */
  readonly results: readonly Intent[]
  /** A command was refused, or the turn failed or was deferred. */
  readonly isFailed: boolean
  /** Why the model did not answer. */
  readonly failure?: Pick<EventOf<'model-failed'>, 'reason' | 'message'> | undefined
}

interface ExchangeOptions {
  readonly signal: AbortSignal
  readonly key: string
  /** Messages of different threads are not answered in one turn. */
  readonly thread?: string | undefined
  /** When it is over, a message without an answer is withdrawn. Undefined: the exchange ends with a deferral. */
  readonly patience?: Patience | undefined
}

export interface Patience {
  readonly ms: number
  readonly over: AbortSignal
  /** `answer`: however long it takes. `failures`: a first try that takes long may go on. */
  readonly with: 'answer' | 'failures'
}

/**
 * Starts an exchange. Whatever else is typed meanwhile counts as a part of it, unless that is an exchange which names
 * this one as `before`.
 */
export async function startExchange(
  life: Life,
  text: string,
  { before, ...options }: ExchangeOptions & { before?: Exchange | undefined },
): Promise<Exchange> {
  await before?.received
  const after = await life.log.read(({ end }) => end)
  before?.endAt(after)
  const stretch: Stretch = { after, to: Number.POSITIVE_INFINITY }
  const received = life.receive(typedInbound(text, options))
  return {
    partOf: async (intent) => {
      const turns = await turnsOf(life, stretch)
      return life.log.read((reader) => partIn(reader, intent, { stretch, turns }))
    },
    received: received.then(
      () => undefined,
      () => undefined,
    ),
    endAt: (position) => void (stretch.to = position),
    outcome: finish(life, { received, stretch }, options),
  }
}

/** The range of log positions at which the input of an exchange came in. */
interface Stretch {
  readonly after: number
  to: number
}

function isIn(position: number, { after, to }: Stretch): boolean {
  return position > after && position <= to
}

/** Resolves once everything is done that an earlier process left in the conversation. */
export async function untilIdle({ agent, desk }: Life, signal: AbortSignal): Promise<void> {
  await agent.until((reader) => {
    const branch = boundBranch(reader, terminalAddress)
    return branch === undefined || isIdle(reader, branch, desk.now())
  }, signal)
}

async function finish(
  life: Life,
  { received: receiving, stretch }: { received: Promise<Received>; stretch: Stretch },
  { signal, patience }: ExchangeOptions,
): Promise<Outcome | undefined> {
  const received = await receiving
  if (received.kind === 'empty' || received.kind === 'duplicate') return undefined
  const { log, agent, desk } = life
  const from = received.branch
  const isDone = (reader: Reader): boolean =>
    [from, boundBranch(reader, terminalAddress) ?? from].every((branch) =>
      isQuiet(reader, branch, { after: stretch.after, now: desk.now(), isBusy: agent.isBusy(branch) }),
    )
  // A command may start work without an event, as /retry does; the agent shows it as busy one tick later.
  await new Promise(setImmediate)
  const isLeft =
    patience !== undefined &&
    received.kind === 'admitted' &&
    (await outwait(life, { ...patience, branch: from, after: stretch.after, isDone }, signal)) === 'queued'
  if (!isLeft && !(await agent.until(isDone, signal))) return undefined
  const turns = await turnsOf(life, stretch)
  const [turn, taker] = [...turns].at(-1) ?? [null, from]
  const branch = await log.read((reader) => branchNames(reader)(taker))
  const outcome = await outcomeIn(life, stretch, turns)
  return { branch, turn, ...outcome, ...(isLeft && { isFailed: true }) }
}

interface Outwaiting extends Patience {
  readonly branch: BranchId
  readonly after: number
  readonly isDone: (reader: Reader) => boolean
}

/**
 * Waits for the answer. When the patience is over, the message is withdrawn, so that the next one is not answered
 * together with it. `queued`: it still waits behind a message of somebody else, and stays there.
 */
async function outwait(life: Life, waiting: Outwaiting, signal: AbortSignal): Promise<'done' | 'queued'> {
  const { agent, log, desk } = life
  const { branch, after, isDone } = waiting
  const isSettled = (reader: Reader): boolean =>
    isDone(reader) && !(isDeferred(reader, branch) && isOwnWork(reader, branch, after))
  // The model may answer by now, and then the earlier message is not in the way.
  if (
    await log.read((reader) => isDeferred(reader, branch) && queuedSince(reader, branch, after) !== undefined)
  )
    agent.hurry(branch)
  if (await agent.until(isSettled, AbortSignal.any([signal, waiting.over]))) return 'done'
  const mayGoOn = (reader: Reader): boolean => waiting.with === 'failures' && isFirstTry(reader, branch)
  if (!(await agent.until((reader) => !mayGoOn(reader), signal))) return 'done'
  const failure = await lastFailure(life, { branch, after })
  const why = sentence(failure?.message ?? `${desk.settings().model} has not answered yet`)
  const [at, seed] = [desk.now(), desk.random()]
  const left = await log.write((writing) => {
    const queued = queuedSince(writing, branch, after)
    if (queued === undefined && !isOwnWork(writing, branch, after)) return 'done'
    const cause = queued ?? causeOf(writing, getBranch(writing, branch))
    const turn = queued === undefined ? stopWork(writing, { branch, at, seed }, 'failed') : null
    if (turn === undefined || cause === null) return 'done'
    const next =
      turn === null
        ? 'An earlier message waits for the model too. Yours is answered after it, when mainstem runs again.'
        : 'Your message is kept as failed; /retry sends it again.'
    const text = `No answer within ${waiting.ms / 1000} s. ${why} ${next}`
    say(writing, { branch, at, to: terminalAddress, form: 'notice', text, turn, cause })
    return turn === null ? 'queued' : 'withdrawn'
  })
  if (left === 'withdrawn') agent.abort([branch])
  agent.deliver()
  return left === 'queued' ? 'queued' : 'done'
}

/** The message of this exchange, while it waits for a turn. */
function queuedSince(reader: Reader, branch: BranchId, after: number): Position | undefined {
  const typed = typedSince(reader, branch, after).filter(({ form }) => form === 'message')
  return typed.findLast(({ position }) => isWaiting(reader, branch, position))?.position
}

/** Whether the branch's work, running or deferred, is for this exchange: it answers its message, or a /retry began it. */
function isOwnWork(reader: Reader, branch: BranchId, after: number): boolean {
  const cause = causeOf(reader, getBranch(reader, branch)) ?? 0
  const typed = typedSince(reader, branch, after)
  return cause > after || typed.some(({ position }) => RETRY.test(admittedAt(reader, position).text))
}

const RETRY = /^\/?retry\b/

function isDeferred(reader: Reader, branch: BranchId): boolean {
  const state = findBranch(reader, branch)?.state
  return state?.kind === 'idle' && state.last?.outcome === 'deferred'
}

function isFirstTry(reader: Reader, branch: BranchId): boolean {
  const state = findBranch(reader, branch)?.state
  return state?.kind === 'running' && state.startedAt === state.since
}

/** Why the model failed last; that it is left alone for a while says nothing about that. */
async function lastFailure(
  { log }: Life,
  { branch, after }: Pick<Outwaiting, 'branch' | 'after'>,
): Promise<EventOf<'model-failed'> | undefined> {
  const all = await Array.fromAsync(log.events({ after, kind: 'model-failed' }))
  const failed = all.filter((event) => event.kind === 'model-failed' && event.branch === branch)
  const told = failed as EventOf<'model-failed'>[]
  return told.findLast(({ reason }) => reason !== 'circuit-open') ?? told.at(-1)
}

/** Whether everything typed since is taken, and no turn because of it runs or is due. */
function isQuiet(
  reader: Reader,
  branch: BranchId,
  { after, now, isBusy }: { after: number; now: number; isBusy: boolean },
): boolean {
  const state = findBranch(reader, branch)?.state
  if (state === undefined || state.kind === 'ended') return true
  const typed = typedSince(reader, branch, after)
  if (typed.some(({ position }) => isWaiting(reader, branch, position))) return false
  if (state.kind === 'idle') return !isBusy && isIdle(reader, branch, now)
  // A turn that ran before the person came to the branch is not theirs, unless they say something there.
  return state.startedAt <= after && !typed.some(({ form }) => form === 'message')
}

function isIdle(reader: Reader, branch: BranchId, now: number): boolean {
  const due = dueIn(reader, { branch, now, isImpatient: false })
  return due.kind === 'nothing' || due.kind === 'later'
}

function typedSince(reader: Reader, branch: BranchId, after: number): Waiting[] {
  const rows = allRows(reader, inboundTable, { prefix: [branch], from: after + 1 })
  return [...rows].filter(({ position }) => isTyped(reader, position))
}

function isTyped(reader: Reader, position: Position): boolean {
  return isTypedAt(terminalAddress, admittedAt(reader, position).source)
}

/**
 * A command's output names the command as its cause, and the answer of a turn, or why it has none, names what was said.
 * What the host asks or remarks during a turn names something else, or nothing.
 */
function partIn(
  reader: Reader,
  intent: Intent,
  { stretch, turns }: { stretch: Stretch; turns: Turns },
): Part {
  const { to, form, turn, position, cause } = intent
  if (position <= stretch.after || addressKey(to) !== addressKey(terminalAddress)) return 'nothing'
  const answered = cause === undefined ? undefined : reader.event(cause)
  if (answered?.kind === 'command-run' && isIn(runSince(answered), stretch)) return 'result'
  if (turn === null || !turns.has(turn)) return 'nothing'
  return form !== 'ping' && answered?.kind === 'inbound-admitted' ? 'result' : 'aside'
}

/** A command that ran at once was never in an inbox. */
function runSince({ took, position }: EventOf<'command-run'>): Position {
  return took ?? position
}

/** The turns that took what was typed, or that /retry began, and those that continue them, with their branches. */
type Turns = ReadonlyMap<TurnId, BranchId>

async function turnsOf({ log }: Life, stretch: Stretch): Promise<Turns> {
  const turns = new Map<TurnId, BranchId>()
  const retried = new Set<BranchId>()
  for await (const event of log.events({ after: stretch.after })) {
    if (event.kind === 'command-run' && isIn(runSince(event), stretch) && RETRY.test(event.line))
      retried.add(event.branch)
    if (event.kind === 'turn-started' && event.continues !== null)
      if (turns.has(event.continues) || retried.delete(event.branch)) turns.set(event.turn, event.branch)
    if (event.kind !== 'message-added') continue
    const { turn, branch, took = 0 as Position } = event
    if (turn !== null && isIn(took, stretch) && (await log.read((reader) => isTyped(reader, took))))
      turns.set(turn, branch)
  }
  return turns
}

async function outcomeIn(
  life: Life,
  stretch: Stretch,
  turns: Turns,
): Promise<Omit<Outcome, 'branch' | 'turn'>> {
  const events = await Array.fromAsync(life.log.events({ after: stretch.after }))
  const intents = events.filter((event) => event.kind === 'delivery-intended')
  const parts = await life.log.read((reader) =>
    intents.map((intent) => ({ intent, part: partIn(reader, intent, { stretch, turns }) })),
  )
  const continued = new Set(events.map((event) => event.kind === 'turn-started' && event.continues))
  const last = new Set([...turns.keys()].filter((turn) => !continued.has(turn)))
  const isFailed = events.some((event) => isFailure(event, stretch, last))
  const failure = events.findLast((event) => event.kind === 'model-failed' && turns.has(event.turn))
  return {
    deliveries: parts.flatMap(({ intent, part }) => (part === 'nothing' ? [] : [intent])),
    results: parts.flatMap(({ intent, part }) => (part === 'result' ? [intent] : [])),
    isFailed,
    ...(isFailed && failure?.kind === 'model-failed' && { failure }),
  }
}

function isFailure(event: Event, stretch: Stretch, turns: ReadonlySet<TurnId>): boolean {
  if (event.kind === 'command-run') return event.isError && isIn(runSince(event), stretch)
  if (event.kind !== 'turn-ended' || !turns.has(event.turn)) return false
  return event.outcome === 'failed' || event.outcome === 'deferred'
}
