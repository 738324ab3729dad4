import type { Clock } from '../../../base/clock.ts'

/**
 * What was typed here is shown at once. When the port tells of the same text until a moment after it was admitted, it
 * tells of that, and it is not shown twice.
 */
export interface Echoes {
  sent(text: string): Echo
  /** Whether this is what was typed here. */
  isOwn(text: string): boolean
}

interface Echo {
  admitted(): void
}

export function echoesFor(clock: Clock): Echoes {
  const waiting: { text: string; until: number }[] = []
  return {
    sent: (text) => {
      const echo = { text, until: Number.POSITIVE_INFINITY }
      waiting.push(echo)
      return { admitted: () => void (echo.until = clock() + MOMENT_MS) }
    },
    isOwn: (text) => {
      const now = clock()
      for (let at = waiting.length - 1; at >= 0; at--)
        if ((waiting[at]?.until ?? 0) < now) waiting.splice(at, 1)
      const at = waiting.findIndex((echo) => echo.text === text)
      if (at !== -1) waiting.splice(at, 1)
      return at !== -1
    },
  }
}

const MOMENT_MS = 1_000
