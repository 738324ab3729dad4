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

  async use<T>(branch: BranchId, work: () => Promise<T>): Promise<T | undefined> {
    await this.#take(branch)
    if (this.#isClosed) return undefined
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

  async #take(branch: BranchId): Promise<void> {
    while (this.#holders.size >= this.#max() && !this.#isClosed)
      await new Promise<void>((resolve) => this.#queue.push(resolve))
    this.#holders.add(branch)
  }

  #give(branch: BranchId): void {
    this.#holders.delete(branch)
    this.#queue.shift()?.()
  }
}
