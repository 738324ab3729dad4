import type { Clock } from '../../../base/clock.ts'

const MOMENT_MS = 1_000

/**
 * What was typed here is shown at once. If the port reports the same text until a moment after it was admitted, it is
 * the same message, and is not shown twice.
 */
export class Echoes {
  readonly #clock: Clock
  #waiting: readonly { readonly text: string; until: number }[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns what to call once it is admitted. */
  sent(text: string): () => void {
    const echo = { text, until: Number.POSITIVE_INFINITY }
    this.#waiting = [...this.#waiting, echo]
    return () => void (echo.until = this.#clock() + MOMENT_MS)
  }

  /** Whether this is what was typed here. */
  isOwn(text: string): boolean {
    const now = this.#clock()
    this.#waiting = this.#waiting.filter(({ until }) => until >= now)
    const own = this.#waiting.find((echo) => echo.text === text)
    this.#waiting = this.#waiting.filter((echo) => echo !== own)
    return own !== undefined
  }
}
