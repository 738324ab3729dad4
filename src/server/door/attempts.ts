import type { Clock } from '../../base/clock.ts'

/** This many wrong secrets are free, from one address and from all. Each further one makes the next wait longer. */
const FREE = { address: 10, all: 100 }
const WAIT_MS_MAX = 60_000
const FORGOTTEN_MS = 600_000
const ADDRESSES_MAX = 1_000
const ALL = 'all'

/**
 * Slows down senders of wrong secrets. The right one is let in all the same: nobody finds 256 bits by guessing, but
 * otherwise anybody could lock out those who have them, and behind a proxy everybody has one address.
 */
export class Attempts {
  readonly #now: Clock
  readonly #failures = new Map<string, { readonly count: number; readonly at: number }>()

  constructor(now: Clock) {
    this.#now = now
  }

  /** A wrong secret came from there: how many seconds it came too early, or 0. */
  failed(address: string): number {
    const until = Math.max(this.#until(address, FREE.address), this.#until(ALL, FREE.all))
    if (until > this.#now()) return Math.ceil((until - this.#now()) / 1_000)
    for (const place of [address, ALL]) this.#count(place)
    return 0
  }

  #until(place: string, free: number): number {
    const { count = 0, at = 0 } = this.#failures.get(place) ?? {}
    return count < free ? 0 : at + Math.min(WAIT_MS_MAX, 1_000 * 2 ** (count - free))
  }

  #count(place: string): void {
    const { count = 0, at = 0 } = this.#failures.get(place) ?? {}
    this.#failures.delete(place)
    const [oldest] = this.#failures.keys()
    if (this.#failures.size >= ADDRESSES_MAX && oldest !== undefined) this.#failures.delete(oldest)
    const isRecent = this.#now() - at < FORGOTTEN_MS
    this.#failures.set(place, { count: isRecent ? count + 1 : 1, at: this.#now() })
  }
}
