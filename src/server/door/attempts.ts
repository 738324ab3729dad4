import type { Clock } from '../../base/clock.ts'
import type { Reach } from '../contract/route.ts'

/** So many wrong secrets are free, from one address and from all of them. Then each costs a longer wait. */
const FREE = { address: 10, all: 100 }
const WAIT_MS_MAX = 60_000
const FORGOTTEN_MS = 600_000
const ADDRESSES_MAX = 1_000
const WRONG_MAX = 1_000

interface Failures {
  readonly count: number
  readonly at: number
}

/** Who guesses: by an address of this machine or by the public one, and from where. */
interface Guesser {
  readonly reach: Reach
  readonly address: string
}

/**
 * Slows down whoever guesses secrets. While an address has to wait, the right secret is refused too: otherwise guesses
 * would go on at full speed. A program that sends one wrong token again and again guesses nothing, and counts once.
 * Behind a proxy all strangers have one address, so they are counted apart from programs on this machine.
 */
export class Attempts {
  readonly #now: Clock
  readonly #failures = new Map<string, Failures>()
  readonly #wrong = new Set<string>()

  constructor(now: Clock) {
    this.#now = now
  }

  /** How long nobody may try from there; 0: now. */
  waitMs({ reach, address }: Guesser): number {
    const until = Math.max(this.#until(`${reach} ${address}`, FREE.address), this.#until(reach, FREE.all))
    return Math.max(0, until - this.#now())
  }

  /** `digest` is that of the wrong secret. */
  failed({ reach, address }: Guesser, digest: string): void {
    if (this.#wrong.has(digest)) return
    makeRoom(this.#wrong, WRONG_MAX)
    this.#wrong.add(digest)
    for (const place of [`${reach} ${address}`, reach]) {
      const count = (this.#recent(place)?.count ?? 0) + 1
      this.#failures.delete(place)
      makeRoom(this.#failures, ADDRESSES_MAX)
      this.#failures.set(place, { count, at: this.#now() })
    }
  }

  #until(place: string, free: number): number {
    const failures = this.#recent(place)
    if (failures === undefined || failures.count < free) return 0
    return failures.at + Math.min(WAIT_MS_MAX, 1_000 * 2 ** (failures.count - free))
  }

  #recent(place: string): Failures | undefined {
    const failures = this.#failures.get(place)
    return failures !== undefined && this.#now() - failures.at < FORGOTTEN_MS ? failures : undefined
  }
}

/** Makes room for one more by forgetting the oldest. */
function makeRoom(kept: Map<string, unknown> | Set<string>, countMax: number): void {
  const [oldest] = kept.keys()
  if (kept.size >= countMax && oldest !== undefined) kept.delete(oldest)
}
