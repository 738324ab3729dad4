import { admittedBefore, isWaiting } from '../../agent/state/inbox.ts'
import { missingModelIn, missingNotice, waitsForModel } from '../../agent/state/home-model.ts'
import { say } from '../../agent/state/outbox.ts'
import type { AgentSettings } from '../../agent/state/settings.ts'
import { dueIn } from '../../agent/branch/due.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import { stopWork } from '../../agent/branch/stop-act.ts'
import { causeOf } from '../../agent/state/asker.ts'
import { sentence } from '../../base/words.ts'
import type { Inbound } from '../../channel/channel.ts'
import { findBranch, getBranch, workOf } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Life } from '../life/life.ts'
import { terminalAddress } from './place.ts'
import { Trace, type Failure, type Intent, type OwnDelivery, type Part } from './trace.ts'

/** Something that somebody said, from its arrival until everything it caused is done. */
export interface Exchange {
  /** What a delivery is to this exchange. */
  partOf(intent: Intent): Promise<Part>
  /** Whether the turn that runs in this branch is one of its turns. */
  isIn(branch: BranchId): Promise<boolean>
  /** Undefined when there was nothing to do, or `signal` came first. */
  readonly outcome: Promise<Outcome | undefined>
}

export interface Outcome {
  /** The name of the branch whose turn took it, such as the fork that /reply opened; for commands, where they came in. */
  readonly branch: string
  /** The turn that took it; null for commands. */
  readonly turn: TurnId | null
  /** All of it. */
  readonly deliveries: readonly OwnDelivery[]
  /** Its results, without questions and remarks on the way. */
  readonly results: readonly Pick<Intent, 'form' | 'text'>[]
  /** A command was refused, or the turn failed or was deferred. */
  readonly isFailed: boolean
  /** Its last turn was stopped, so the answer is cut or missing. */
  readonly isStopped?: true
  /** It was waited for long enough: its message was withdrawn, or still waits behind another one. */
  readonly left?: 'withdrawn' | 'queued'
  /** Why the model did not answer. */
  readonly failure?: Pick<Failure, 'reason' | 'message'> | undefined
}

/** The key is made by the client, which may ask again with the same one and gets the first exchange. */
export type Asked = Inbound & { readonly messageId: string }

export interface ExchangeOptions {
  readonly signal: AbortSignal
  /** When it is over, a message without an answer is withdrawn. Undefined: the exchange ends with a deferral. */
  readonly patience?: Patience | undefined
}

export interface Patience {
  readonly ms: number
  readonly over: AbortSignal
  /** `answer`: however long it takes. `failures`: a first try that takes long may go on. */
  readonly with: 'answer' | 'failures'
  /** It is over as soon as the model could not be reached, and the answer would come later by itself. */
  readonly endsOnDeferral?: true
  /** What becomes of a message that is still behind another one: `when mainstem runs again`. */
  readonly later?: string
}

/**
 * Starts an exchange, or joins the one that this key has started before, in this process or an earlier one. No turn
 * answers it together with messages of another thread; by default it is a thread of its own.
 */
export async function startExchange(life: Life, given: Asked, options: ExchangeOptions): Promise<Exchange> {
  const asked = { thread: given.messageId, ...given }
  const after = await life.log.read((reader) => startOf(reader, asked))
  const trace = new Trace(asked, after)
  const received = life.receive(asked)
  const finished = async (): Promise<Outcome | undefined> => {
    const { kind } = await received
    return kind === 'empty' ? undefined : finish(life, trace, { ...options, asked })
  }
  return {
    partOf: (intent) => life.log.read((reader) => trace.upTo(reader).partOf(reader, intent)),
    isIn: (branch) =>
      life.log.read((reader) => {
        const state = findBranch(reader, branch)?.state
        return state?.kind === 'running' && trace.upTo(reader).turns.has(state.turn)
      }),
    outcome: finished(),
  }
}

/** A command may have written this many events before the one with its key. */
const BEFORE_KEY = 50

function startOf(reader: Reader, asked: Asked): number {
  const first = admittedBefore(reader, asked, asked.messageId)
  return first === undefined ? reader.end : Math.max(0, first - BEFORE_KEY)
}

/** Resolves once everything is done that an earlier process left in the conversation of the terminal. */
export async function untilIdle({ agent, desk }: Life, signal: AbortSignal): Promise<void> {
  await agent.until((reader) => {
    const branch = boundBranch(reader, terminalAddress)
    if (branch === undefined) return true
    const { modelFrom } = desk.settings()
    const { kind } = dueIn(reader, { branch, now: desk.now(), isImpatient: false, modelFrom })
    return kind === 'nothing' || kind === 'later'
  }, signal)
}

async function finish(
  life: Life,
  trace: Trace,
  { signal, patience, asked }: ExchangeOptions & { asked: Asked },
): Promise<Outcome | undefined> {
  const { log, agent, desk } = life
  const isDone = (reader: Reader): boolean => {
    const { branches } = trace.upTo(reader)
    return [...branches].every((branch) =>
      isQuiet(reader, branch, { trace, now: desk.now(), isBusy: agent.isBusy(branch) }),
    )
  }
  // A command may start work without an event, as /retry does; the agent shows it as busy one tick later.
  await new Promise(setImmediate)
  const isStuck = (reader: Reader): boolean =>
    stuck(reader, trace.upTo(reader), desk.settings()) !== undefined
  const isOver = (reader: Reader): boolean => isStuck(reader) || isDone(reader)
  const waited = patience && (await outwait(life, { ...patience, asked, trace, isDone: isOver }, signal))
  if (waited !== 'queued' && !(await agent.until(isOver, signal))) return undefined
  const isLeft = (await withdrawStuck(life, trace, asked)) || waited === 'queued'
  return log.read((reader) => {
    const [turn, taker] = [...trace.upTo(reader).turns].at(-1) ?? [null, trace.from]
    if (taker === undefined) return undefined
    const isFailed = isLeft || trace.isFailed
    const failure = isFailed ? trace.failures.findLast((one) => trace.turns.has(one.turn)) : undefined
    return {
      branch: branchNames(reader)(taker),
      turn,
      deliveries: [...trace.deliveries],
      results: trace.deliveries.filter(({ part }) => part === 'result'),
      isFailed,
      ...(trace.isStopped && { isStopped: true as const }),
      ...(waited !== undefined && waited !== 'done' && { left: waited }),
      ...(failure && { failure }),
    }
  })
}

/** A message behind other work that waits for somebody to choose a model: a program does not wait for that. */
function stuck(reader: Reader, trace: Trace, settings: AgentSettings): Position | undefined {
  const { place } = trace
  if (place === undefined || !waitsForModel(reader, place, settings)) return undefined
  return queued(reader, place, trace)
}

async function withdrawStuck({ log, desk, agent }: Life, trace: Trace, to: Asked): Promise<boolean> {
  const [at, settings] = [desk.now(), desk.settings()]
  if (settings.modelFrom !== null) return false
  const isWithdrawn = await log.write((writing) => {
    const entry = stuck(writing, trace, settings)
    const missing = trace.place && missingModelIn(writing, trace.place, settings)
    if (entry === undefined || missing === undefined) return false
    const { branch } = writing.event(entry)
    writing.append({ kind: 'inbound-dropped', branch, at, entry })
    const text = missingNotice(missing, { person: to.person, isWithdrawn: true })
    say(writing, { branch, at, to, notice: 'withdrawn', text, turn: null, cause: entry })
    return true
  })
  if (isWithdrawn) agent.deliver()
  return isWithdrawn
}

/**
 * Waits for the answer. When the patience is over, the message is withdrawn, so that the next one is not answered
 * together with it. `queued`: it still waits behind a message of somebody else, and stays there.
 */
async function outwait(
  life: Life,
  waiting: Patience & { asked: Asked; trace: Trace; isDone: (reader: Reader) => boolean },
  signal: AbortSignal,
): Promise<'done' | NonNullable<Outcome['left']>> {
  const { agent, log, desk } = life
  const { trace, isDone, later = '' } = waiting
  const branch = await log.read((reader) => trace.upTo(reader).place)
  if (branch === undefined) return 'done'
  const isPutOff = (reader: Reader): boolean => isDeferred(reader, branch) && isOwnWork(reader, branch, trace)
  const isSettled = (reader: Reader): boolean => isDone(reader) && !isPutOff(reader)
  const isEnough = (reader: Reader): boolean =>
    isSettled(reader) || (waiting.endsOnDeferral === true && isPutOff(reader))
  // The model may answer by now, and then the earlier message is not in the way.
  if (await log.read((reader) => isDeferred(reader, branch) && queued(reader, branch, trace) !== undefined))
    agent.hurry(branch)
  const wasEnough = await agent.until(isEnough, AbortSignal.any([signal, waiting.over]))
  if (wasEnough && (await log.read(isSettled))) return 'done'
  const mayGoOn = (reader: Reader): boolean => waiting.with === 'failures' && isFirstTry(reader, branch)
  if (!(await agent.until((reader) => !mayGoOn(reader), signal))) return 'done'
  const failures = await log.read((reader) => trace.upTo(reader).failures)
  const why = sentence(failureIn(failures, branch) ?? `${desk.settings().model} has not answered yet`)
  const [at, seed] = [desk.now(), desk.random()]
  const left = await log.write((writing) => {
    const waits = queued(writing, branch, trace)
    if (waits === undefined && !isOwnWork(writing, branch, trace)) return 'done'
    const cause = waits ?? causeOf(writing, getBranch(writing, branch))
    const turn = waits === undefined ? stopWork(writing, { branch, at, seed }, 'failed') : null
    if (turn === undefined || cause === null) return 'done'
    const next =
      turn === null
        ? `An earlier message waits for the model too. Yours is answered after it${later && `, ${later}`}.`
        : 'Your message is kept as failed; /retry sends it again.'
    const within = wasEnough ? [] : [`No answer within ${waiting.ms / 1000} s.`]
    const text = [...within, why, next].join(' ')
    say(writing, {
      branch,
      at,
      to: waiting.asked,
      notice: 'withdrawn',
      text,
      turn,
      cause,
    })
    return turn === null ? 'queued' : 'withdrawn'
  })
  if (left === 'withdrawn') agent.abort([branch])
  agent.deliver()
  return left
}

/** A message of this exchange that waits for a turn. */
function queued(reader: Reader, branch: BranchId, { entries }: Trace): Position | undefined {
  const own = [...entries].filter(([, entry]) => entry.branch === branch && entry.form === 'message')
  return own.findLast(([position]) => isWaiting(reader, branch, position))?.[0]
}

/** Whether the branch's work, running or deferred, is for this exchange: it answers its message, or a /retry began it. */
function isOwnWork(reader: Reader, branch: BranchId, { entries, turns }: Trace): boolean {
  const found = getBranch(reader, branch)
  const [cause, work] = [causeOf(reader, found), workOf(found)]
  return (cause !== null && entries.has(cause)) || (work !== null && turns.has(work.turn))
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
function failureIn(failures: Trace['failures'], branch: BranchId): string | undefined {
  const here = failures.filter((one) => one.branch === branch)
  return (here.findLast(({ reason }) => reason !== 'circuit-open') ?? here.at(-1))?.message
}

/** Whether everything that was said is taken, and no turn because of it runs or is due. */
function isQuiet(
  reader: Reader,
  branch: BranchId,
  { trace, now, isBusy }: { trace: Trace; now: number; isBusy: boolean },
): boolean {
  const { entries, turns, retried } = trace
  const state = findBranch(reader, branch)?.state
  if (state === undefined || state.kind === 'ended') return true
  const own = [...entries].filter(([, entry]) => entry.branch === branch)
  if (own.some(([position]) => isWaiting(reader, branch, position))) return false
  if (state.kind === 'running') return !turns.has(state.turn)
  if (retried.has(branch) && isBusy) return false
  const { last } = state
  if (last === null || !turns.has(last.turn)) return true
  return last.outcome === 'deferred' ? (last.retryAt ?? 0) > now : last.outcome !== 'interrupted'
}
