import type { Agent } from '../../../src/agent/agent.ts'
import { agentProjection } from '../../../src/agent/state/fold.ts'
import { seededRandom } from '../../../src/base/random.ts'
import type { Inbound } from '../../../src/channel/channel.ts'
import { receive, type Received } from '../../../src/command/door/reception.ts'
import { contextProjections } from '../../../src/context/fold.ts'
import type { Event } from '../../../src/event/event.ts'
import type { Log, Query } from '../../../src/log/log.ts'
import { StoreLog } from '../../../src/log/store-log.ts'
import type { Recall } from '../../../src/recall/contract/recall.ts'
import type { Store } from '../../../src/log/store.ts'
import type { Sleep } from '../../../src/model/contract/sleep.ts'
import { MortalStore, type Surroundings } from '../mortal-store.ts'
import { rerunning, type Rerunning } from '../rerunning-log.ts'
import { joinAgent, type Joined, type Joining } from './join.ts'
import type { SimClock } from './sim-clock.ts'
import type { SimShelf } from './sim-shelf.ts'

export const agentProjections = [...contextProjections, agentProjection]

/** What a process finds when it starts, and its surroundings while it runs. */
export interface LifeParts extends Pick<Joining, 'policy' | 'config' | 'fail'> {
  readonly store: Store
  readonly surroundings: Surroundings
  readonly clock: SimClock
  readonly seed: number
  readonly followEventsMax: number
  /** Set when works are run again (LOG7). */
  readonly rerun: Rerunning | undefined
  readonly around: (
    life: AgentLife,
  ) => Pick<
    Joining,
    'model' | 'tools' | 'equipped' | 'workspace' | 'jobIn' | 'send' | 'jobFor' | 'lookMs' | 'warn' | 'hear'
  >
  readonly shelf: (life: AgentLife) => SimShelf
  readonly recall: (log: Log, life: AgentLife) => Recall
}

/** One process with an agent in it, from its start to its death. Once dead it does nothing more. */
export class AgentLife {
  /** The end of the log when its agent began. */
  startedAt = 0
  readonly sleep: Sleep
  readonly log: Log
  readonly #parts: LifeParts
  readonly #mortal: MortalStore
  readonly #died = Promise.withResolvers<'dead'>()
  #recall: Recall | undefined
  #joined: Joined | undefined
  #shelf: SimShelf | undefined

  constructor(parts: LifeParts) {
    this.#parts = parts
    const sleep = parts.clock.sleepIn(this)
    this.sleep = (ms, signal) => (this.isDead ? never() : sleep(ms, signal))
    this.#mortal = new MortalStore(parts.store, parts.surroundings)
    const { followEventsMax } = parts
    const log = new StoreLog(this.#mortal, agentProjections, { followEventsMax })
    this.log = parts.rerun === undefined ? log : rerunning(log, parts.rerun)
  }

  get isDead(): boolean {
    return this.#mortal.isDead
  }

  get agent(): Agent {
    if (this.#joined === undefined) throw new Error('the agent has not started yet')
    return this.#joined.agent
  }

  get scheduler(): Joined['scheduler'] {
    if (this.#joined === undefined) throw new Error('the agent has not started yet')
    return this.#joined.scheduler
  }

  /** Undefined: it knows of no files yet. */
  get shelf(): SimShelf | undefined {
    return this.#shelf
  }

  get recall(): Recall {
    if (this.#recall === undefined) throw new Error('the agent has not started yet')
    return this.#recall
  }

  die(): void {
    this.#mortal.isDead = true
    this.mourn()
  }

  /** The process died at a commit. */
  mourn(): void {
    this.#parts.clock.forget(this)
    this.#died.resolve('dead')
  }

  start(): Promise<'up' | 'dead'> {
    return Promise.race([this.#died.promise, this.#start()])
  }

  receive(inbound: Inbound): Promise<Received> {
    if (this.#joined === undefined) throw new Error('nobody is at the desk yet')
    return this.untilDeath(receive(this.#joined.desk, inbound))
  }

  /** A dead process never gets what it awaited. */
  async untilDeath<T>(promise: Promise<T>): Promise<T> {
    try {
      const value = await promise
      return this.isDead ? await never() : value
    } catch (error) {
      if (this.isDead) return never()
      throw error
    }
  }

  async #start(): Promise<'up'> {
    const { clock, config, seed, policy, fail, store, around } = this.#parts
    const log = mortalLog(this.log, this)
    this.#recall = this.#parts.recall(log, this)
    const shelf = this.#parts.shelf(this)
    this.#shelf = shelf
    shelf.onChange = () => this.#joined?.scheduler.look()
    this.#joined = await joinAgent({
      log,
      shelf,
      tidying: shelf.tidying,
      recall: this.#recall,
      now: clock.now,
      random: seededRandom(seed),
      sleep: this.sleep,
      policy,
      config,
      fail,
      starting: () => (this.startedAt = store.end),
      ...around(this),
    })
    return 'up'
  }
}

/** The wait of a dead process. */
export function never(): Promise<never> {
  return new Promise(() => undefined)
}

/** A process's log: after its death, no answer comes any more. */
function mortalLog(log: Log, life: AgentLife): Log {
  return {
    write: (work) => life.untilDeath(log.write(work)),
    read: (work) => life.untilDeath(log.read(work)),
    events: (query?: Query): AsyncIterable<Event> => eventsUntilDeath(log.events(query), life),
    follow: (after, signal) => log.follow(after, signal),
    close: () => log.close(),
  }
}

async function* eventsUntilDeath(events: AsyncIterable<Event>, life: AgentLife): AsyncGenerator<Event> {
  const each = events[Symbol.asyncIterator]()
  for (;;) {
    const next = await life.untilDeath(each.next())
    if (next.done === true) return
    yield next.value
  }
}
