import { endRun } from '../src/agent/run/run-end.ts'
import type { AgentSettings } from '../src/agent/state/settings.ts'
import { seededRandom } from '../src/base/random.ts'
import { branchFor } from '../src/agent/branch/binding.ts'
import { getBranch } from '../src/context/branch.ts'
import type { Event } from '../src/event/event.ts'
import type { BranchId } from '../src/event/id.ts'
import type { JobName } from '../src/event/job.ts'
import type { Log } from '../src/log/log.ts'
import { MemoryDisk, openMemoryLog } from '../src/log/memory.ts'
import type { Sleep } from '../src/model/contract/sleep.ts'
import { Scheduler, type SchedulerParts } from '../src/agent/job/scheduler.ts'
import { askedFor } from './agent/job-rig.ts'
import { memoryShelf, type MemoryShelf } from './agent/memory-shelf.ts'
import { projections, terminal } from './agent/stage.ts'
import { oldestMain } from '../src/agent/state/person.ts'

/** A clock on the wall that people set, above one that only goes forward. */
export class WallClock {
  #passedMs = 0
  #shown: number
  readonly #sleepers = new Map<object, { readonly until: number; readonly wake: () => void }>()

  constructor(start: number) {
    this.#shown = start
  }

  readonly now = (): number => this.#shown + this.#passedMs

  set(ms: number): void {
    this.#shown += ms
  }

  readonly sleep: Sleep = (ms, signal) =>
    new Promise((resolve, reject) => {
      const key = {}
      const abort = (): void => {
        this.#sleepers.delete(key)
        reject(new Error('stopped'))
      }
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })
      const wake = (): void => {
        this.#sleepers.delete(key)
        signal.removeEventListener('abort', abort)
        resolve()
      }
      this.#sleepers.set(key, { until: this.#passedMs + ms, wake })
    })

  /** Wakes one sleeper after the other, each when all that the one before did is done. */
  async pass(ms: number, settle: () => Promise<void>): Promise<void> {
    const end = this.#passedMs + ms
    for (;;) {
      await settle()
      const [next] = [...this.#sleepers.values()].toSorted((a, b) => a.until - b.until)
      if (next === undefined || next.until > end) break
      this.#passedMs = Math.max(this.#passedMs, next.until)
      next.wake()
    }
    this.#passedMs = end
    await settle()
  }
}

export interface Planned {
  readonly clock: WallClock
  readonly shelf: MemoryShelf
  readonly log: () => Log
  settings: Pick<AgentSettings, 'zone' | 'quietHours'>
  pass(ms: number): Promise<void>
  look(): Promise<void>
  /** The process ends; so long nobody is there. */
  restart(ms: number): Promise<void>
  pause(one: JobName | null, until: number | null): Promise<void>
  resume(one: JobName | null): Promise<void>
  events(): Promise<Event[]>
  close(): Promise<void>
}

/** A scheduler on a memory log, with an agent that ends every run as soon as it is started. */
export async function planned(
  { start, zone, lookMs }: { readonly start: number; readonly zone: string; readonly lookMs: number },
  more: Partial<Pick<SchedulerParts, 'jobFor'>> = {},
): Promise<Planned> {
  const clock = new WallClock(start)
  const shelf = memoryShelf({ now: clock.now })
  const disk = new MemoryDisk()
  const random = seededRandom(3)
  const failures: unknown[] = []
  const held = { settings: { zone, quietHours: null } as Planned['settings'] }
  let log = openMemoryLog({ disk, projections })
  let ends: Promise<unknown>[] = []
  const endAll = async (branches: readonly BranchId[]): Promise<void> => {
    await log.write((writing) => {
      for (const branch of branches)
        if (getBranch(writing, branch).mode === 'background')
          endRun(writing, { branch, at: clock.now(), reason: 'finished' })
    })
  }
  const agent: SchedulerParts['agent'] = {
    wake: (branches) => void ends.push(endAll(branches)),
    deliver: () => undefined,
    watch: () => () => undefined,
  }
  const open = (): Scheduler =>
    new Scheduler({
      log,
      now: clock.now,
      sleep: clock.sleep,
      random,
      // What else there is nobody looks at here.
      settings: () => held.settings as AgentSettings,
      shelf,
      jobFor: async (job) => askedFor(job),
      agent,
      startedAt: clock.now(),
      lookMs,
      warn: () => undefined,
      fail: (error) => failures.push(error),
      ...more,
    })
  await log.write((writing) => branchFor(writing, terminal, { at: start, seed: 3 }))
  let scheduler = open()
  const settle = async (): Promise<void> => {
    await scheduler.settled()
    await Promise.all(ends.splice(0))
    await scheduler.settled()
    if (failures.length > 0) throw failures[0]
  }
  const look = async (): Promise<void> => {
    scheduler.look()
    await settle()
  }
  const say = async (
    draft: (branch: BranchId) => Parameters<Parameters<Parameters<Log['write']>[0]>[0]['append']>[0],
  ) => {
    await log.write((writing) => writing.append(draft(oldestMain(writing) ?? ('' as BranchId))))
    await look()
  }
  const author = { by: 'person' } as const
  await settle()
  return {
    clock,
    shelf,
    log: () => log,
    get settings() {
      return held.settings
    },
    set settings(value) {
      held.settings = value
    },
    look,
    pass: (ms) => clock.pass(ms, settle),
    restart: async (ms) => {
      await scheduler.close()
      await log.close()
      await clock.pass(ms, async () => undefined)
      log = openMemoryLog({ disk, projections })
      scheduler = open()
      await settle()
    },
    pause: (one, until) =>
      say((branch) => ({ kind: 'jobs-paused', branch, at: clock.now(), v: 1, one, until, author })),
    resume: (one) => say((branch) => ({ kind: 'jobs-resumed', branch, at: clock.now(), v: 1, one, author })),
    events: () => Array.fromAsync(log.events()),
    close: async () => {
      await scheduler.close()
      await log.close()
      ends = []
    },
  }
}
