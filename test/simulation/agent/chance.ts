import type { Random } from '../../../src/base/random.ts'

/** Choices from one stream of random numbers. */
export class Chance {
  readonly random: Random

  constructor(random: Random) {
    this.random = random
  }

  below(limit: number): number {
    return this.random() % limit
  }

  oneIn(times: number): boolean {
    return this.below(times) === 0
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)]
    if (picked === undefined) throw new Error('there is nothing to pick from')
    return picked
  }

  /** Each with its weight. */
  weighted<T>(choices: readonly (readonly [number, T])[]): T {
    let left = this.below(choices.reduce((sum, [weight]) => sum + weight, 0))
    for (const [weight, choice] of choices) {
      if (left < weight) return choice
      left -= weight
    }
    throw new Error('there is nothing to choose from')
  }

  /** Some hops of the microtask queue, or some turns of the event loop. */
  async lag(): Promise<void> {
    const hops = this.below(6)
    for (let hop = 0; hop < hops; hop++) await Promise.resolve()
    if (!this.oneIn(3)) return
    const turns = 1 + this.below(3)
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
  }
}
