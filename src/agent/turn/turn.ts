import { unreachable } from '../../base/assert.ts'
import { EventError } from '../../event/codec.ts'
import type { Happening } from '../../event/happening.ts'
import type { BranchId } from '../../event/id.ts'
import { getBranch, lineOf } from '../../context/branch.ts'
import { ModelError, type Model, type Reply, type Usage } from '../../model/contract/model.ts'
import { modeForGuests } from '../../permission/judge.ts'
import { costOf } from '../../model/spending.ts'
import { callsToRun, keepShown, takeReply, type Answering } from './answering.ts'
import { prepareCall, type ReadyCall } from './asking.ts'
import { beginTurn, type RunningTurn } from './begin.ts'
import { tailPlace } from './call-prompt.ts'
import { unlessAborted } from '../../base/again.ts'
import { type CallToRun, type Judging, lookAtCalls } from './judging.ts'
import { actNames, runCalls } from './calls.ts'
import { endWith, isRunning } from '../step/ending.ts'
import { takeFailure, tooLargeError, type Failing } from './failing.ts'
import type { Effects, RoomWish } from '../contract/effects.ts'
import { admittedAt, firstWaiting } from '../state/inbox.ts'
import { causedObstacle, unattendedObstacle } from '../state/cause.ts'
import { OWNER } from '../../event/speaker.ts'
import { reportBy } from '../state/asker.ts'
import { personIn } from '../state/person.ts'
import { missingError, missingModel, type HomeModel } from '../state/home-model.ts'
import { settingsFor, type AgentSettings } from '../state/settings.ts'
import { brokenUsage, SPENDING_WAIT_MS, spendingObstacle } from '../state/spent.ts'
import { remember } from './remembering.ts'
import { endRun } from '../run/run-end.ts'
import { endsAt, modelFor } from '../state/run.ts'
import { modelNamed, priceOf, type World } from '../contract/world.ts'

export interface TurnOrder {
  readonly branch: BranchId
  /** Aborted with a StopReason. */
  readonly signal: AbortSignal
  readonly abort: (reason: StopReason) => void
  readonly isImpatient: boolean
}

/** `close`: the process ends, and the turn continues after the next start. `time`: the run used up its time. */
export type StopReason = 'stop' | 'kill' | 'close' | 'time'

/** Takes the inbox, asks the model, runs its calls, and repeats until it answers. */
export async function takeTurn(world: World, order: TurnOrder, effects: Effects): Promise<void> {
  const { branch, isImpatient } = order
  const person = await world.log.read((reader) => personIn(reader, branch))
  if (person !== OWNER) await world.prepare?.(person)
  const at = world.now()
  const around = { settings: settingsFor(world.settings(), person), jobs: world.jobs() }
  const { zone } = around.settings
  const seed = world.random()
  const previewing = new Set([...world.channels].flatMap(([name, { preview }]) => (preview ? name : [])))
  const started = await world.log.write((writing) =>
    beginTurn(writing, { branch, at, seed, zone, isImpatient, previewing, around }),
  )
  if (started === undefined) return
  const { turn } = started
  world.emit({ kind: 'turn-started', branch, turn, at })
  const running = { ...started, memory: await remember(world, started) }
  const room = { wasMade: false, isWithoutMemory: false }
  const received = { text: '', model: '' }
  const over = new AbortController()
  watchTime(world, { order, running, signal: over.signal })
  watchReport(world, { order, signal: over.signal })
  try {
    for (let call = 1; ; call++) {
      const step = { world, order, effects, running, call, room, received }
      if ((await takeStep(step).catch((error: unknown) => unwritten(step, error))) === 'ended') return
    }
  } finally {
    over.abort()
    world.emit({ kind: 'turn-ended', branch, turn })
  }
}

/** Stops a run when its time is over. Checked repeatedly: clocks are adjusted, and timers have a limit. */
function watchTime(
  world: World,
  { order, running: { run }, signal }: { order: TurnOrder; running: RunningTurn; signal: AbortSignal },
): void {
  if (run === null) return
  const end = endsAt(run) ?? world.now() + run.timeoutMs
  const look = async (): Promise<void> => {
    for (let left = end - world.now(); left > 0; left = end - world.now())
      await world.sleep(Math.min(left, LOOK_MS), signal)
    order.abort('time')
  }
  look().catch(() => undefined)
}

/** Stops the agent of a fork that writes too long on a report. A word of the person takes the request back. */
function watchReport(world: World, { order, signal }: { order: TurnOrder; signal: AbortSignal }): void {
  const read = (): Promise<number | null> => world.log.read((reader) => reportBy(reader, order.branch))
  const look = async (): Promise<void> => {
    for (let by = await read(); by !== null && !signal.aborted; by = await read()) {
      if (by <= world.now()) return order.abort('time')
      await world.sleep(Math.min(by - world.now(), LOOK_MS), signal)
    }
  }
  look().catch(() => undefined)
}

const LOOK_MS = 60 * 1000

interface Step {
  readonly world: World
  readonly order: TurnOrder
  readonly effects: Effects
  readonly running: RunningTurn
  readonly call: number
  /**
   * Room is made once for an answer: a prompt that is too large after that will be too large again. Recalled messages
   * go first, for the rest of the turn.
   */
  readonly room: { wasMade: boolean; isWithoutMemory: boolean }
  /** The text of the answer that people have seen and the log has not, and the model that writes it. */
  readonly received: { text: string; model: string }
  /** Set after summing up the older messages was tried. */
  readonly mayBeMany?: true
}

async function takeStep(step: Step): Promise<'ended' | 'goes-on'> {
  const { world, effects, running, call } = step
  const { signal } = step.order
  const mayBeMany = step.mayBeMany ?? false
  if (call > 1) await doStepCommands(world, running, signal)
  if (signal.aborted) return stopped(step)
  const settings = settingsFor(world.settings(), running.person)
  const missing = await missingFor(step, settings)
  if (missing !== undefined)
    return failedStep(step, { error: missingError(missing), isCalled: false, missing })
  const model = modelNamed(world, modelFor(running.job, settings))
  if (model instanceof ModelError) return failedStep(step, { error: model, isCalled: false })
  const { contextTokens } = model
  const at = world.now()
  const shown = step.room.isWithoutMemory ? { ...running, memory: null } : running
  const asking = { running: shown, call, at, settings, contextTokens, model, mayBeMany }
  const prepared = await world.log.write((writing) => prepareCall(writing, asking))
  effects.deliver()
  switch (prepared.kind) {
    case 'gone':
      return 'ended'
    case 'too-many':
      if ((await makeRoomFor(step, 'too-many')) === 'found') return takeStep(step)
      return takeStep({ ...step, mayBeMany: true })
    case 'too-large': {
      if (await makeRoom(step)) return takeStep(step)
      const error = tooLargeError(prepared, model.name)
      return failedStep(step, { error, isCalled: false, tooLarge: prepared })
    }
    case 'spent':
      return failedStep(step, { error: spendingObstacle(prepared, at), isCalled: false })
    case 'caused':
      return failedStep(step, { error: causedObstacle(prepared.ceiling), isCalled: false })
    case 'unattended': {
      const error = unattendedObstacle(prepared.max, prepared.waits ? at + SPENDING_WAIT_MS : null)
      return failedStep(step, { error, isCalled: false })
    }
    case 'ready':
      return answerStep(step, model, prepared)
    default:
      return unreachable(prepared)
  }
}

/** A log is read only where no model is set. */
async function missingFor({ world, running }: Step, settings: AgentSettings): Promise<HomeModel | undefined> {
  if (settings.modelFrom !== null) return undefined
  return world.log.read((reader) => missingModel(reader, settings, running.job))
}

/**
 * Runs commands that wait for a step's end, up to the first message. After a /stop the rest is left for later: the lane
 * continues as soon as this turn is over, and two at once would take each other's work.
 */
async function doStepCommands(world: World, running: RunningTurn, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const entry = await world.log.read((reader) => {
      const first = firstWaiting(reader, running.branch)
      return first?.form === 'step-command' ? admittedAt(reader, first.position) : undefined
    })
    if (entry === undefined) return
    await world.runCommand(entry)
  }
}

async function answerStep(step: Step, model: Model, prepared: ReadyCall): Promise<'ended' | 'goes-on'> {
  const { world, order, effects, running, call } = step
  const reply = await replyTo(step, model, prepared)
  if (reply instanceof ModelError && reply.reason === 'overflow') {
    const hadMemory = prepared.tail !== running.tail
    step.room.isWithoutMemory ||= hadMemory
    if (hadMemory || (await makeRoom(step))) return overflowed(step, reply)
  }
  if (reply instanceof ModelError) return failedStep(step, { error: reply, isCalled: true })
  step.room.wasMade = false
  // A fallback has its own price.
  const price = reply.answeredBy === undefined ? model.price : priceOf(world, reply.answeredBy)
  const at = world.now()
  const judging = judgingIn(world, {
    running,
    at,
    inPrompt: prepared.prompt.tools.map(({ name }) => name),
    calls: callsToRun({ running, call, prepared }, reply),
  })
  const { zone } = settingsFor(world.settings(), running.person)
  const act: Answering = { running, call, at, model: model.name, price, prepared, judging, zone }
  const answered = await world.log.write((writing) => takeReply(writing, act, reply))
  step.received.text = ''
  switch (answered.kind) {
    case 'gone':
      await count(step, prepared, [{ model: reply.answeredBy ?? model.name, usage: reply.usage }])
      return 'ended'
    case 'sent-back':
      world.emit(piecesVoid(running))
      return 'goes-on'
    case 'ended':
      effects.abort(answered.abort)
      effects.deliver()
      effects.wake(answered.wake)
      effects.tidy(running.branch)
      return 'ended'
    case 'calls': {
      world.emit(piecesVoid(running))
      const { position, calls } = answered
      // A question about one of them may be waiting to be sent.
      effects.deliver()
      const said = await runCalls(world, { running, position, calls, signal: order.signal })
      if (said === undefined) return stopped(step)
      for (const { wake, abort } of said) {
        if (abort) effects.abort(abort)
        if (wake) effects.wake(wake)
      }
      effects.deliver()
      return 'goes-on'
    }
    default:
      return unreachable(answered)
  }
}

function piecesVoid({ branch, turn }: RunningTurn): Happening {
  return { kind: 'pieces-void', branch, turn }
}

function judgingIn(
  world: World,
  {
    running,
    at,
    inPrompt,
    calls,
  }: Pick<Judging, 'running' | 'at' | 'inPrompt'> & { calls: readonly CallToRun[] },
): Judging {
  const { permissions: mode, causedMax, approvalTimeoutMs, web } = world.settings()
  const permissions = running.person === OWNER ? mode : modeForGuests(mode)
  const askable = new Set([...world.channels].flatMap(([name, { canAsk }]) => (canAsk ? name : [])))
  const tools = world.tools(running.person)
  const by = { running, at, tools, inPrompt, permissions, approvalTimeoutMs, causedMax, web, askable }
  return { ...by, calls: lookAtCalls(calls, by) }
}

/** The model counts tokens differently. The next call has a shorter prompt. */
async function overflowed(step: Step, { reason, message }: ModelError): Promise<'goes-on'> {
  const { world, running, call, received } = step
  const { branch, turn } = running
  const at = world.now()
  const failed = { turn, call, reason, message, retryAt: at }
  await world.log.write((writing) => {
    if (isRunning(writing, running)) writing.append({ kind: 'model-failed', branch, at, ...failed })
  })
  received.text = ''
  world.emit(piecesVoid(running))
  return 'goes-on'
}

/** Sums up before the answer, because otherwise there would be none. True: the prompt may fit now. */
async function makeRoom(step: Step): Promise<boolean> {
  const { room } = step
  if (room.wasMade) return false
  const made = await makeRoomFor(step, 'too-large')
  room.wasMade = made !== 'found'
  return made === 'made' || made === 'found'
}

function makeRoomFor({ effects, order, running }: Step, because: RoomWish['because']) {
  const { signal } = order
  const { branch, tail } = running
  return unlessAborted(signal, () => effects.makeRoom({ branch, because, tail, signal }))
}

async function replyTo(step: Step, model: Model, prepared: ReadyCall): Promise<Reply | ModelError> {
  const { world, order } = step
  const { prompt, tail } = prepared
  const broken: Used[] = []
  const { branch, turn } = step.running
  const tailAt = tailPlace(prompt, tail)
  const { received } = step
  const beginAgain = (name: string): void => void Object.assign(received, { text: '', model: name })
  beginAgain(model.name)
  try {
    return await model.call(prompt, {
      signal: order.signal,
      ...(tailAt !== undefined && { tailAt }),
      onText: (text) => {
        received.text += text
        world.emit({ kind: 'piece', branch, turn, text })
      },
      onBroken: (name, heard) => broken.push({ model: name, usage: brokenUsage(prompt, heard) }),
      onRetry: ({ model: name, attempt: tries, waitMs, error: { message: because, reason } }) => {
        beginAgain(name)
        world.emit({ kind: 'retry-planned', branch, turn, tries, waitMs, because, reason })
      },
    })
  } catch (error) {
    if (error instanceof ModelError) return error
    throw error
  } finally {
    await count(step, prepared, broken)
  }
}

interface Used {
  readonly model: string
  readonly usage: Usage
}

/** Counts calls whose replies are of no use: their providers may charge for them all the same. */
async function count(
  { world, running }: Step,
  { day, purpose }: ReadyCall,
  used: readonly Used[],
): Promise<void> {
  if (used.length === 0) return
  const at = world.now()
  const costs = used.map(({ model, usage }) => costOf(usage, priceOf(world, model)))
  await world.log.write((writing) => {
    // A branch that has ended writes nothing more (KILL1), so the next above it does.
    const line = lineOf(writing, getBranch(writing, running.branch))
    const branch = line.find(({ state }) => state.kind !== 'ended')?.id
    if (branch === undefined) return
    for (const [index, one] of used.entries()) {
      const cost = costs[index] ?? null
      writing.append({ kind: 'model-used', branch, at, what: 'broken', ...one, cost, purpose, day })
    }
  })
}

/** The turn was ended from outside. Only after a stop must its end still be written. */
async function stopped({ world, order, running, effects, received }: Step): Promise<'ended'> {
  if ((order.signal.reason as StopReason) === 'close') return 'ended'
  const { branch, turn } = running
  const at = world.now()
  const acts = actNames(world)
  const why = (order.signal.reason as StopReason) === 'time' ? 'timed-out' : 'killed'
  const ended = await world.log.write((writing) => {
    if (!isRunning(writing, running)) return []
    keepShown(writing, { ...running, ...received, at, cut: 'stopped', by: STOPPED_BY[why] })
    endWith(writing, { branch, turn, at, outcome: 'stopped', acts, stoppedBy: STOPPED_BY[why] })
    return running.run === null ? [] : endRun(writing, { branch, at, reason: why })
  })
  effects.abort(ended.filter((id) => id !== branch))
  effects.deliver()
  return 'ended'
}

const STOPPED_BY = { 'timed-out': 'time', killed: 'person' } as const

/**
 * The log refused what the model or a tool gave. Nothing of it was written, so only the turn fails: dying of it would
 * repeat at every start.
 */
async function unwritten(step: Step, error: unknown): Promise<'ended'> {
  if (!(error instanceof EventError)) throw error
  const told = new ModelError('rejected', `The reply cannot be written to the log: ${error.message}`)
  return failedStep(step, { error: told, isCalled: true })
}

/** A stopped step did not fail: nobody is told, and a turn left by a closing process continues later. */
async function failedStep(
  step: Step,
  failed: Pick<Failing, 'error' | 'isCalled' | 'tooLarge' | 'missing'>,
): Promise<'ended'> {
  const { world, running, call, effects } = step
  if (step.order.signal.aborted) return stopped(step)
  const settings = settingsFor(world.settings(), running.person)
  const failing = { ...failed, running, call, at: world.now(), settings, received: step.received }
  const { wake, abort } = await world.log.write((writing) => takeFailure(writing, failing))
  world.emit(piecesVoid(running))
  effects.abort(abort)
  effects.deliver()
  effects.wake(wake)
  return 'ended'
}
