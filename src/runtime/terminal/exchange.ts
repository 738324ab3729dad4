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
  /** Messages of different threads are not answered in one turn. */
  readonly thread?: string | undefined
  /** How long to wait while the model fails; then the message is withdrawn. Undefined: the exchange ends with a deferral. */
  readonly patienceMs?: number | undefined
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
  const received = life.receive(typedInbound(text, options.thread))
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
  { signal, patienceMs }: ExchangeOptions,
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
    patienceMs !== undefined &&
    received.kind === 'admitted' &&
    (await outwait(life, { branch: from, after: stretch.after, isDone, patienceMs }, signal)) === 'queued'
  if (!isLeft && !(await agent.until(isDone, signal))) return undefined
  const turns = await turnsOf(life, stretch)
  const [turn, taker] = [...turns].at(-1) ?? [null, from]
  const branch = await log.read((reader) => branchNames(reader)(taker))
  const outcome = await outcomeIn(life, stretch, turns)
  return { branch, turn, ...outcome, ...(isLeft && { isFailed: true }) }
}

interface Patience {
  readonly branch: BranchId
  readonly after: number
  readonly isDone: (reader: Reader) => boolean
  readonly patienceMs: number
}

/**
 * Waits while the model fails. When the patience is over, the message is withdrawn, so that the next one is not answered
 * together with it. `queued`: it still waits behind a message of somebody else, and stays there.
 */
async function outwait(life: Life, patience: Patience, signal: AbortSignal): Promise<'done' | 'queued'> {
  const { agent, log, desk } = life
  const { branch, after, isDone, patienceMs } = patience
  const isSettled = (reader: Reader): boolean => isDone(reader) && !isDeferred(reader, branch)
  const over = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  if (await agent.until(isSettled, over)) return 'done'
  // A first answer that takes long has not failed yet.
  if (!(await agent.until((reader) => !isFirstTry(reader, branch), signal))) return 'done'
  const cause = sentence((await lastFailure(life, { branch, after }))?.message ?? 'The model did not answer.')
  const [at, seed] = [desk.now(), desk.random()]
  const left = await log.write((writing) => {
    const own = typedSince(writing, branch, after).findLast(({ form }) => form === 'message')
    if (own === undefined) return 'done'
    const isQueued = isWaiting(writing, branch, own.position)
    if (!isQueued && causeOf(writing, getBranch(writing, branch)) !== own.position) return 'done'
    const turn = isQueued ? null : stopWork(writing, { branch, at, seed }, 'failed')
    if (turn === undefined) return 'done'
    const next = isQueued
      ? 'An earlier message waits for the model too, and yours stays queued behind it.'
      : 'Your message is kept as failed; /retry sends it again.'
    const text = `No answer within ${patienceMs / 1000} s. ${cause} ${next}`
    say(writing, { branch, at, to: terminalAddress, form: 'notice', text, turn, cause: own.position })
    return isQueued ? 'queued' : 'withdrawn'
  })
  if (left === 'withdrawn') agent.abort([branch])
  agent.deliver()
  return left === 'queued' ? 'queued' : 'done'
}

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
  { branch, after }: Pick<Patience, 'branch' | 'after'>,
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

/** The turns that took what was typed, and those that continue them, with their branches. */
type Turns = ReadonlyMap<TurnId, BranchId>

async function turnsOf({ log }: Life, stretch: Stretch): Promise<Turns> {
  const turns = new Map<TurnId, BranchId>()
  for await (const event of log.events({ after: stretch.after })) {
    if (event.kind === 'turn-started' && event.continues !== null && turns.has(event.continues))
      turns.set(event.turn, event.branch)
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
