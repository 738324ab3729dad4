import type { BranchId } from '../event/id.ts'

/** How many branches nobody waits for may run at once. */
export class Slots {
  readonly #max: () => number
  readonly #queue: (() => void)[] = []
  readonly #holders = new Set<BranchId>()
  #isClosed = false

  constructor(max: () => number) {
    this.#max = max
  }

  /** Undefined when it was stopped before its turn came. */
  async use<T>(branch: BranchId, signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
    const look = (): void => this.#queue.splice(0).forEach((next) => next())
    signal.addEventListener('abort', look, { once: true })
    await this.#take(branch, signal)
    signal.removeEventListener('abort', look)
    if (!this.#holders.has(branch)) return undefined
    try {
      return await work()
    } finally {
      this.#give(branch)
    }
  }

  async lend<T>(branch: BranchId, work: () => Promise<T>): Promise<T> {
    if (!this.#holders.has(branch)) return work()
    this.#give(branch)
    try {
      return await work()
    } finally {
      await this.#take(branch)
    }
  }

  close(): void {
    this.#isClosed = true
    for (const next of this.#queue.splice(0)) next()
  }

  async #take(branch: BranchId, signal?: AbortSignal): Promise<void> {
    while (this.#holders.size >= this.#max()) {
      if (this.#isClosed || signal?.aborted) return
      await new Promise<void>((resolve) => this.#queue.push(resolve))
    }
    this.#holders.add(branch)
  }

  #give(branch: BranchId): void {
    this.#holders.delete(branch)
    this.#queue.shift()?.()
  }
}
