import { Again } from '../../base/again.ts'
import { preambleIn } from '../run/preamble.ts'
import { unreachable } from '../../base/assert.ts'
import { getBranch } from '../../context/branch.ts'
import { openCalls } from '../../context/step.ts'
import type { BranchId } from '../../event/id.ts'
import { actNames } from '../turn/calls.ts'
import { dueIn, type Due, type DueQuestion, type TurnDue } from '../branch/due.ts'
import { closeCalls, endWith } from '../step/ending.ts'
import type { Effects } from '../contract/effects.ts'
import { actOnIdle } from '../branch/idle.ts'
import { endIdleRun } from '../run/run-end.ts'
import { personIn } from '../state/person.ts'
import { runIn } from '../state/run.ts'
import { settingsFor } from '../state/settings.ts'
import { admittedAt, firstWaiting, isCommand } from '../state/inbox.ts'
import { Slots } from './slots.ts'
import { takeInbox } from '../step/take-inbox.ts'
import { takeTurn, type StopReason } from '../turn/turn.ts'
import type { World } from '../contract/world.ts'

/**
 * One lane per branch: what is due in a branch is done one thing after the other, and different branches go on side
 * by side. A lane lives as long as there is something to do, and has an alarm for what is due later.
 */
export class Lanes {
  readonly #world: World
  readonly #effects: Effects
  readonly #lanes = new Map<BranchId, Lane>()
  readonly #alarms = new Map<BranchId, AbortController>()
  readonly #impatient = new Set<BranchId>()
  readonly #slots: Slots
  /** Background runs have places of their own: they never wait for children, nor those for them. */
  readonly #runSlots: Slots
  readonly #startedAt: number
  #isClosing = false
  #fail: (error: unknown) => void

  constructor(world: World, effects: Effects, fail: (error: unknown) => void) {
    this.#world = world
    this.#effects = effects
    this.#fail = fail
    this.#startedAt = world.now()
    this.#slots = new Slots(() => world.settings().runningMax)
    this.#runSlots = new Slots(() => world.settings().runsMax)
  }

  wake(branch: BranchId): void {
    if (this.#isClosing) return
    const lane = this.#lanes.get(branch)
    if (lane === undefined) {
      this.#alarms.get(branch)?.abort()
      void this.#open(branch).rounds.ask()
      return
    }
    void lane.rounds.ask()
    lane.queue?.abort()
  }

  #open(branch: BranchId): Lane {
    const idle = (): void => {
      this.#lanes.delete(branch)
      this.#world.emit({ kind: 'changed' })
    }
    const rounds = new Again(() => this.#round(branch, lane), { fail: this.#fail, idle })
    const lane: Lane = { rounds, stop: undefined, queue: undefined }
    this.#lanes.set(branch, lane)
    return lane
  }

  /** As `wake`, without waiting for the time that a deferral named, and again after a failure. */
  hurry(branch: BranchId): void {
    this.#impatient.add(branch)
    this.wake(branch)
  }

  /** Stops the turn that runs in this branch; resolves once that is written, with whether there was one. */
  async stop(branch: BranchId, reason: StopReason): Promise<boolean> {
    this.#impatient.delete(branch)
    const lane = this.#lanes.get(branch)
    // /stop right after a message stops the turn that is about to start.
    if (lane?.stop === undefined && reason === 'stop') await lane?.deciding?.catch(() => undefined)
    const stop = lane?.stop
    if (stop === undefined) return false
    stop.abort(reason)
    await stop.finished.promise
    return true
  }

  isBusy(branch: BranchId): boolean {
    return this.#lanes.get(branch)?.stop !== undefined
  }

  get busy(): readonly BranchId[] {
    return [...this.#lanes].filter(([, lane]) => lane.stop !== undefined).map(([branch]) => branch)
  }

  /** Resolves when no lane has anything left to do now. */
  async settled(): Promise<void> {
    while (this.#lanes.size > 0)
      await Promise.all([...this.#lanes.values()].map(({ rounds }) => rounds.settled()))
  }

  /** A turn that waits for others lets another one run meanwhile; without this, waiting turns could block the awaited. */
  whileWaiting<T>(branch: BranchId, work: () => Promise<T>): Promise<T> {
    const signal = this.#lanes.get(branch)?.stop?.signal
    if (signal === undefined) return work()
    return this.#runSlots.lend(branch, signal, () => this.#slots.lend(branch, signal, work))
  }

  /** Begins nothing more; resolves when what runs is over. */
  async finish(): Promise<void> {
    this.#isClosing = true
    for (const alarm of this.#alarms.values()) alarm.abort()
    for (const lane of this.#lanes.values()) lane.queue?.abort()
    await this.settled()
  }

  /** Stops all work where it is; what is unfinished goes on at the next start. */
  async close(): Promise<void> {
    for (const lane of this.#lanes.values()) lane.stop?.abort('close')
    await this.finish()
  }

  async #round(branch: BranchId, lane: Lane): Promise<void> {
    const question = this.#question(branch)
    lane.deciding = this.#world.log.read((reader) => dueIn(reader, question))
    const due = this.#notAtOnce(await lane.deciding)
    if (this.#isClosing) return
    if (due.kind === 'later') this.#setAlarm(branch, due.at)
    // Its time goes on while it waits for a place.
    if (due.kind === 'turn' && due.until !== undefined) this.#setAlarm(branch, due.until)
    if (due.kind === 'nothing' || due.kind === 'later') return void this.#impatient.delete(branch)
    await this.#act(branch, lane, due)
    void lane.rounds.ask()
  }

  /** A person who starts the program to say something in a fork is heard before its silence is looked at. */
  #notAtOnce(due: Due): Due {
    const at = this.#startedAt + START_GRACE_MS
    return due.kind === 'idle' && due.isReport !== true && this.#world.now() < at
      ? { kind: 'later', at }
      : due
  }

  #question(branch: BranchId): DueQuestion {
    const { forkIdleMs: idleMs, modelFrom } = this.#world.settings()
    return { branch, now: this.#world.now(), isImpatient: this.#impatient.has(branch), idleMs, modelFrom }
  }

  async #act(branch: BranchId, lane: Lane, due: Exclude<Due, { kind: 'nothing' | 'later' }>): Promise<void> {
    switch (due.kind) {
      case 'recovery':
        return recover(this.#world, branch)
      case 'command':
        return doNextCommand(this.#world, branch)
      case 'take':
        return takeFront(this.#world, this.#question(branch))
      case 'end':
        return this.#ended(await endDue(this.#world, this.#question(branch)))
      case 'idle':
        return this.#ended(await actOnSilence(this.#world, this.#question(branch)))
      case 'turn':
        return this.#turn(branch, lane, due)
      default:
        unreachable(due)
    }
  }

  async #turn(branch: BranchId, lane: Lane, { isAsked, mode }: TurnDue): Promise<void> {
    const isImpatient = this.#impatient.delete(branch)
    const stop = new Stop()
    lane.stop = stop
    try {
      const abort = (reason: StopReason): void => stop.abort(reason)
      const order = { branch, signal: stop.signal, abort, isImpatient }
      const begin = (): Promise<void> => {
        lane.queue?.abort()
        return takeTurn(this.#world, order, this.#effects)
      }
      if (isAsked) return await begin()
      lane.queue = new AbortController()
      const slots = mode === 'background' ? this.#runSlots : this.#slots
      this.#lookAgain(slots, lane.queue.signal)
      const hasBegun = await slots.use(branch, AbortSignal.any([stop.signal, lane.queue.signal]), begin)
      // What is stopped before it had a slot is taken and stopped all the same, or it would be due again.
      if (!hasBegun && stop.signal.reason === ('stop' satisfies StopReason)) await begin()
    } finally {
      lane.queue?.abort()
      lane.queue = undefined
      lane.stop = undefined
      this.#alarms.get(branch)?.abort()
      this.#alarms.delete(branch)
      stop.finished.resolve()
    }
  }

  /** A limit may be raised while some wait for a slot, and nobody says so. */
  #lookAgain(slots: Slots, signal: AbortSignal): void {
    const again = (): void => {
      slots.look()
      this.#lookAgain(slots, signal)
    }
    this.#world.sleep(LOOK_MS, signal).then(again, () => undefined)
  }

  #ended(branches: readonly BranchId[]): void {
    this.#effects.abort(branches)
    this.#effects.deliver()
  }

  #setAlarm(branch: BranchId, at: number): void {
    this.#alarms.get(branch)?.abort()
    const alarm = new AbortController()
    this.#alarms.set(branch, alarm)
    const waitMs = Math.min(Math.max(at - this.#world.now(), 0), ALARM_MAX_MS)
    const ring = (): void => {
      if (this.#alarms.get(branch) !== alarm) return
      this.#alarms.delete(branch)
      this.wake(branch)
    }
    this.#world.sleep(waitMs, alarm.signal).then(ring, () => undefined)
  }
}

const START_GRACE_MS = 3_000

/** Node's timers go wrong beyond 24 days, and a clock may be set: look again sooner. */
const ALARM_MAX_MS = 60 * 60 * 1000

/** Only unattended branches queue for slots, so polling every 5 s is enough. */
const LOOK_MS = 5_000

interface Lane {
  readonly rounds: Again
  /** What it does next is being read. */
  deciding?: Promise<Due>
  /** Of the turn that runs or waits for a slot. */
  stop: Stop | undefined
  /** Aborted when something new came while it waits for a slot: with a person who waits, it needs none. */
  queue: AbortController | undefined
}

class Stop extends AbortController {
  readonly finished = Promise.withResolvers<void>()
}

/** Closes what a process that is gone left behind; the next turn goes on from there. */
async function recover(world: World, branch: BranchId): Promise<void> {
  const endedPrograms = await endPrograms(world, branch)
  const at = world.now()
  const acts = actNames(world)
  await world.log.write((writing) => {
    const { state } = getBranch(writing, branch)
    const left = { branch, at, acts, endedPrograms }
    if (state.kind === 'running') endWith(writing, { ...left, turn: state.turn, outcome: 'interrupted' })
    if (state.kind === 'idle') closeCalls(writing, { ...left, because: 'interrupted' })
  })
}

/** Ends what calls without a result have started; the calls whose programs still ran. */
async function endPrograms({ log, endProcess }: World, branch: BranchId): Promise<ReadonlySet<string>> {
  const left = await log.read((reader) => {
    const { state } = getBranch(reader, branch)
    return state.kind === 'running' ? { after: state.since, calls: openCalls(reader, branch) } : undefined
  })
  const ended = new Set<string>()
  if (left === undefined || left.calls.length === 0) return ended
  for await (const event of log.events({ branch, kind: 'process-started', after: left.after })) {
    const isOpen = event.kind === 'process-started' && left.calls.some(({ id }) => id === event.call)
    if (isOpen && (await endProcess(event))) ended.add(event.call)
  }
  return ended
}

async function doNextCommand(world: World, branch: BranchId): Promise<void> {
  const entry = await world.log.read((reader) => {
    const first = firstWaiting(reader, branch)
    return first && admittedAt(reader, first.position)
  })
  if (entry !== undefined && isCommand(entry)) await world.runCommand(entry)
}

async function takeFront(world: World, question: DueQuestion): Promise<void> {
  const { branch, now: at } = question
  const person = await world.log.read((reader) => personIn(reader, branch))
  const around = { settings: settingsFor(world.settings(), person), jobs: world.jobs() }
  const { zone } = around.settings
  const preamble = preambleIn({ ...around, now: at })
  await world.log.write((writing) => {
    if (dueIn(writing, question).kind === 'take')
      takeInbox(writing, { branch, at, zone, from: 'anybody', preamble })
  })
}

async function actOnSilence(world: World, question: DueQuestion): Promise<readonly BranchId[]> {
  const { branch, now: at, idleMs = 0 } = question
  return world.log.write((writing) =>
    // Somebody may have spoken since it was found to be due.
    dueIn(writing, question).kind === 'idle' ? actOnIdle(writing, { branch, at }, idleMs) : [],
  )
}

/** A child that nobody needs, or a run that has nothing left to do or no time to do it; the branches that ended. */
async function endDue(world: World, question: DueQuestion): Promise<readonly BranchId[]> {
  const { branch, now: at } = question
  return world.log.write((writing) => {
    if (dueIn(writing, question).kind !== 'end') return []
    if (runIn(writing, branch) !== undefined) return endIdleRun(writing, { branch, at })
    const author = { by: 'policy', name: 'idle-child' } as const
    writing.append({ kind: 'branch-ended', branch, at, reason: 'finished', author })
    return []
  })
}
