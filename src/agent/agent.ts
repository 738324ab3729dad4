import { unlessAborted } from '../base/again.ts'
import { livingChildren, livingFrom } from '../context/living.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Log } from '../log/log.ts'
import { type CompactionWish, Compactions } from './compaction/compactions.ts'
import type { Compacted } from './compaction/compactor.ts'
import { dueIn, type DueQuestion } from './branch/due.ts'
import type { Effects } from './contract/effects.ts'
import { ChoreKeeper } from './loop/chore-keeper.ts'
import { Lanes } from './loop/lanes.ts'
import { Post } from './loop/post.ts'
import { openTries } from './loop/tries.ts'
import type { World } from './contract/world.ts'
import type { Happening } from '../event/happening.ts'
import { budgetChore } from './ping/budget-now.ts'
import { digestChore } from './ping/digest.ts'
import type { Chore } from './ping/chore.ts'
import { noticesChore } from './ping/notices.ts'
import { pauseEndChore } from './job/pause-end.ts'
import { pingChores } from './ping/ping-chores.ts'

/** An agent at work on a log: it answers what is in the inboxes and sends what is in the outboxes. */
export interface Agent extends Effects {
  /** Events up to here are of earlier processes. */
  readonly startedAt: number
  /** Without waiting for the time that a deferral named, and again after a failure. */
  hurry(branch: BranchId): void
  /** Stops the running turn of a branch, or the summary that a person waits for; whether there was one. */
  stop(branch: BranchId): Promise<boolean>
  /** Whether a turn runs in this branch now. */
  isBusy(branch: BranchId): boolean
  readonly busy: readonly BranchId[]
  watch(listener: (happening: Happening) => void): () => void
  /** Resolves once `holds` holds of the log, the signal is aborted or the agent closes; whether it held. */
  until(holds: (reader: Reader) => boolean, signal: AbortSignal): Promise<boolean>
  /** A turn that waits lets another one run meanwhile. */
  whileWaiting<T>(branch: BranchId, work: () => Promise<T>): Promise<T>
  /** Sums up the oldest part of a context now; what came of it. */
  compact(wish: CompactionWish, signal: AbortSignal): Promise<Compacted>
  /** Resolves when no summary is on its way. */
  compacted(): Promise<void>
  /** Resolves when nothing is due now and everything that can be sent is sent. */
  settled(): Promise<void>
  /** Begins no more turns; resolves when those that run are over and answered, or the signal is aborted. */
  finish(signal: AbortSignal): Promise<void>
  /** Stops where it is. What is unfinished goes on at the next start, as after a crash. */
  close(): Promise<void>
}

/** Takes up what an earlier process left, and goes on from there. `fail` is told of a bug or a broken disk. */
export async function startAgent(
  { watch, ...world }: Omit<World, 'emit' | 'until'> & { readonly watch: (happening: Happening) => void },
  fail: (error: unknown) => void,
): Promise<Agent> {
  const listeners = new Set([watch])
  const emit = (happening: Happening): void => listeners.forEach((listener) => listener(happening))
  const startedAt = await world.log.read(({ end }) => end as Position)
  const closing = new AbortController()
  const waitUntil: Agent['until'] = (holds, signal) =>
    until({ log: world.log, listeners, holds, signal: AbortSignal.any([signal, closing.signal]) })
  const whole: World = { ...world, emit, until: waitUntil }
  const post = new Post(whole, await openTries(world), fail)
  const effects: Effects = {
    wake: (branches) => {
      for (const branch of branches) lanes.wake(branch)
      emit({ kind: 'changed' })
    },
    abort: (branches) => {
      for (const branch of branches) {
        void lanes.stop(branch, 'kill')
        compactions.stop(branch)
      }
    },
    deliver: () => {
      post.look().catch(fail)
      emit({ kind: 'changed' })
    },
    tidy: (branch) => compactions.look(branch),
    makeRoom: (wish) => compactions.makeRoom(wish),
  }
  const lanes = new Lanes(whole, effects, fail)
  const passingSince = world.isPassing === true ? startedAt : null
  const keeper = new ChoreKeeper(whole, { chores, effects, sending: () => post.sending, passingSince, fail })
  for (const hear of [keeper.hear, post.hear]) listeners.add(hear)
  const compactions = new Compactions(whole, { deliver: () => effects.deliver(), fail })
  const { forkIdleMs: idleMs, modelFrom } = world.settings()
  const when = { now: world.now(), idleMs, modelFrom }
  effects.wake(await world.log.read((reader) => unfinished(reader, when)))
  effects.deliver()
  return {
    ...effects,
    startedAt,
    hurry: (branch) => lanes.hurry(branch),
    // A lane waits for what a person asked for, so there is no turn beside it.
    stop: async (branch) => (await compactions.stopAsked(branch)) || lanes.stop(branch, 'stop'),
    isBusy: (branch) => lanes.isBusy(branch),
    get busy() {
      return lanes.busy
    },
    watch: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    until: waitUntil,
    whileWaiting: (branch, work) => lanes.whileWaiting(branch, work),
    compact: (wish, signal) => compactions.compact(wish, signal),
    compacted: () => compactions.settled(),
    settled: async () => {
      // The keeper twice: what it held may go out now that a turn is over.
      for (const worker of [keeper, lanes, compactions, post, keeper]) await worker.settled()
    },
    finish: (signal) => unlessAborted(signal, () => lanes.finish().then(() => post.settled())),
    close: async () => {
      closing.abort()
      // At once: a lane may wait for a compaction, and that for a model.
      await Promise.all([keeper.close(), lanes.close(), compactions.close()])
      await post.close()
    },
  }
}

/** Branches with something to do, now or at a known time. */
function unfinished(reader: Reader, when: Omit<DueQuestion, 'branch'>): BranchId[] {
  const living = livingChildren(reader, null).flatMap((branch) => livingFrom(reader, branch))
  return living.filter((branch) => dueIn(reader, { branch, ...when }).kind !== 'nothing')
}

function until(waiting: {
  log: Log
  listeners: Set<(happening: Happening) => void>
  holds: (reader: Reader) => boolean
  signal: AbortSignal
}): Promise<boolean> {
  const { log, listeners, holds, signal } = waiting
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const look = (): void => void log.read(holds).then((isSo) => isSo && resolve(true), reject)
  const abort = (): void => resolve(false)
  // A piece of an answer is not in the log, and there may be thousands while hundreds wait.
  const hear = ({ kind }: Happening): void => {
    if (kind !== 'piece') look()
  }
  listeners.add(hear)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  else look()
  return promise.finally(() => {
    listeners.delete(hear)
    signal.removeEventListener('abort', abort)
  })
}

/** All that the host does by itself, in this order: a pause that ends is told with what waited for its end. */
const chores: readonly Chore[] = [budgetChore, pauseEndChore, noticesChore, digestChore, ...pingChores]
