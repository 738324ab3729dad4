import type { BranchId } from '../../event/id.ts'
import { unlessAborted } from '../../base/again.ts'
import { vainTry, type VainTry } from './compaction-due.ts'
import { compactNow, type Compacted, type CompactionOrder } from './compactor.ts'
import type { World } from '../contract/world.ts'
import type { RoomMade, RoomWish } from '../contract/effects.ts'

export type CompactionWish = Omit<CompactionOrder, 'signal' | 'vain'>

/** The longest time that anybody who waits for an answer also waits for a model's summary. */
const PATIENCE_MS = 30_000

interface Underway {
  readonly wish: CompactionWish
  readonly finished: Promise<Compacted | undefined>
  readonly stop: AbortController
}

/** Sums up contexts in the background, one at a time for each branch. */
export class Compactions {
  readonly #world: World
  readonly #fail: (error: unknown) => void
  readonly #deliver: () => void
  readonly #running = new Map<BranchId, Underway>()
  /** Not stored: the next process may try once more. */
  readonly #vain = new Map<BranchId, VainTry>()
  readonly #closing = new AbortController()

  constructor(world: World, { deliver, fail }: { deliver: () => void; fail: (error: unknown) => void }) {
    this.#world = world
    this.#deliver = deliver
    this.#fail = fail
  }

  /** Called after a turn; nobody waits for it. If a compaction is running, the next turn's end checks again. */
  look(branch: BranchId): void {
    if (this.#running.has(branch) || this.#closing.signal.aborted) return
    this.compact({ branch, author: WINDOW }, this.#closing.signal).catch(this.#fail)
  }

  /** Called before an answer that would not fit otherwise. */
  async makeRoom({ branch, because, tail, signal }: RoomWish): Promise<RoomMade> {
    const [over, late] = [new AbortController(), new AbortController()]
    this.#world.sleep(PATIENCE_MS, over.signal).then(
      () => late.abort(),
      () => undefined,
    )
    try {
      const before = await this.#outcome(branch, AbortSignal.any([signal, late.signal]))
      if (before?.kind === 'done') return 'found'
      if (late.signal.aborted) this.stop(branch)
      const must = because === 'too-many' ? {} : ({ demand: 'must-fit' } as const)
      const wish = { branch, author: WINDOW, patience: late.signal, tail, ...must }
      const { kind } = await this.compact(wish, signal)
      return kind === 'done' ? 'made' : 'none'
    } finally {
      over.abort()
    }
  }

  async compact(wish: CompactionWish, signal: AbortSignal): Promise<Compacted> {
    const { branch } = wish
    const closing = this.#closing.signal
    const any = AbortSignal.any([signal, closing])
    // A person does not wait for a compaction that nobody asked for.
    if (wish.author.by === 'person') this.stop(branch)
    while (this.#running.has(branch) && !any.aborted) await this.#outcome(branch, any)
    if (any.aborted) return { kind: closing.aborted ? 'closing' : 'stopped' }
    const compacted = await this.#start(wish, any)
    return compacted.kind === 'stopped' && closing.aborted ? { kind: 'closing' } : compacted
  }

  /** Stops the compaction of a branch whose summary nobody needs any more. */
  stop(branch: BranchId): void {
    this.#running.get(branch)?.stop.abort()
  }

  /** Stops a compaction that a person asked for in this branch; returns whether there was one. */
  async stopAsked(branch: BranchId): Promise<boolean> {
    const running = this.#running.get(branch)
    if (running?.wish.author.by !== 'person') return false
    running.stop.abort()
    await running.finished
    return true
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0)
      await Promise.all([...this.#running.values()].map(({ finished }) => finished))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.settled()
  }

  async #start(wish: CompactionWish, signal: AbortSignal): Promise<Compacted> {
    const { branch } = wish
    const stop = new AbortController()
    const attempt = this.#try(wish, AbortSignal.any([signal, stop.signal]))
    this.#running.set(branch, { wish, stop, finished: attempt.catch(() => undefined) })
    try {
      return await attempt
    } finally {
      this.#running.delete(branch)
      this.#deliver()
    }
  }

  /** Remembers a paid try that achieved nothing, or it would be paid for after every answer. */
  async #try(wish: CompactionWish, signal: AbortSignal): Promise<Compacted> {
    const { branch } = wish
    const vain = this.#vain.get(branch)
    const compacted = await compactNow(this.#world, { ...wish, signal, ...(vain && { vain }) })
    const { kind } = compacted
    if (kind === 'done') this.#vain.delete(branch)
    if ((kind === 'abandoned' || kind === 'failed') && compacted.isPaid)
      this.#vain.set(branch, await this.#world.log.read((reader) => vainTry(reader, branch, kind)))
    return compacted
  }

  /** The outcome of the running compaction; undefined if there is none or nobody waits any longer. */
  #outcome(branch: BranchId, signal: AbortSignal): Promise<Compacted | undefined> {
    return unlessAborted(signal, async () => this.#running.get(branch)?.finished)
  }
}

const WINDOW = { by: 'policy', name: 'window' } as const
