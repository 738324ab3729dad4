import type { BranchId } from '../event/id.ts'
import { compactNow, type Compacted, type CompactionOrder } from './compactor.ts'
import type { World } from './world.ts'

export type CompactionWish = Pick<CompactionOrder, 'branch' | 'asked' | 'focus' | 'author'>

/** Sums up contexts beside whatever else happens, one at a time for each branch. */
export class Compactions {
  readonly #world: World
  readonly #fail: (error: unknown) => void
  readonly #deliver: () => void
  readonly #running = new Map<
    BranchId,
    { readonly finished: Promise<unknown>; readonly stop: AbortController }
  >()
  readonly #closing = new AbortController()

  constructor(world: World, { deliver, fail }: { deliver: () => void; fail: (error: unknown) => void }) {
    this.#world = world
    this.#deliver = deliver
    this.#fail = fail
  }

  /** After a turn. Nobody waits for it; while one is on its way, it will be looked at again after the next turn. */
  look(branch: BranchId): void {
    if (this.#running.has(branch) || this.#closing.signal.aborted) return
    this.compact({ branch, author: WINDOW }, this.#closing.signal).catch(this.#fail)
  }

  /** Because a prompt does not fit: whether there is more room now. */
  async makeRoom(branch: BranchId, signal: AbortSignal): Promise<boolean> {
    const { kind } = await this.compact({ branch, author: WINDOW, asked: 'must-fit' }, signal)
    return kind === 'done'
  }

  async compact(wish: CompactionWish, signal: AbortSignal): Promise<Compacted> {
    const { branch } = wish
    while (this.#running.has(branch)) await this.#running.get(branch)?.finished
    const stop = new AbortController()
    const any = AbortSignal.any([signal, stop.signal, this.#closing.signal])
    const run = compactNow(this.#world, { ...wish, signal: any })
    this.#running.set(branch, { stop, finished: run.catch(() => undefined) })
    try {
      return await run
    } finally {
      this.#running.delete(branch)
      this.#deliver()
    }
  }

  /** The branch has ended: nobody needs its summary any more. */
  stop(branch: BranchId): void {
    this.#running.get(branch)?.stop.abort()
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0)
      await Promise.all([...this.#running.values()].map(({ finished }) => finished))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.settled()
  }
}

const WINDOW = { by: 'policy', name: 'window' } as const
