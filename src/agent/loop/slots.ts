import type { BranchId } from '../../event/id.ts'

/** Limits how many branches work at once while nobody waits for them. */
export class Slots {
  readonly #max: () => number
  readonly #queue = new Set<() => void>()
  readonly #holders = new Set<BranchId>()
  /** How many waits of a branch go on while its slot is lent. */
  readonly #lent = new Map<BranchId, number>()
  /** Resolves when the last holder of a slot may begin. */
  #begun: Promise<void> = Promise.resolve()

  constructor(max: () => number) {
    this.#max = max
  }

  /** Does the work in a slot. False: the signal was aborted before there was one. */
  async use(branch: BranchId, signal: AbortSignal, work: () => Promise<void>): Promise<boolean> {
    if (!(await this.#take(branch, signal))) return false
    try {
      await this.#inTurn()
      await work()
    } finally {
      this.#give(branch)
    }
    return true
  }

  /** Waits without the branch's slot, and takes one again after its last wait, unless it was aborted. */
  async lend<T>(branch: BranchId, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const waits = this.#lent.get(branch) ?? 0
    if (waits === 0 && !this.#holders.has(branch)) return work()
    this.#lent.set(branch, waits + 1)
    if (waits === 0) this.#give(branch)
    try {
      return await work()
    } finally {
      const left = (this.#lent.get(branch) ?? 1) - 1
      if (left > 0) this.#lent.set(branch, left)
      else {
        this.#lent.delete(branch)
        await this.#take(branch, signal)
      }
    }
  }

  async #take(branch: BranchId, signal: AbortSignal): Promise<boolean> {
    while (this.#holders.size >= this.#max()) {
      if (signal.aborted) return false
      await this.#turn(signal)
    }
    this.#holders.add(branch)
    // Who gives a slot back lets one in; where the limit was raised, there is room for more.
    this.look()
    return true
  }

  /** Lets in the one that waits longest, if there is room. */
  look(): void {
    const [next] = this.#queue
    if (this.#holders.size < this.#max()) next?.()
  }

  /** Branches begin one turn of the event loop apart, so that a person who speaks meanwhile need not wait for all. */
  #inTurn(): Promise<void> {
    this.#begun = this.#begun.then(() => new Promise((resolve) => void setImmediate(resolve)))
    return this.#begun
  }

  /** Resolves when there may be a slot, or the signal is aborted. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const next = (): void => {
        this.#queue.delete(next)
        signal.removeEventListener('abort', next)
        resolve()
      }
      this.#queue.add(next)
      signal.addEventListener('abort', next, { once: true })
    })
  }

  #give(branch: BranchId): void {
    this.#holders.delete(branch)
    this.look()
  }
}
