import type { Clock } from '../../../base/clock.ts'

/** When to paint: at once for what a person does, else a few times a second. */
export interface Painting {
  now(): void
  soon(): void
  end(): void
}

/**
 * A model writes hundreds of pieces a second; nobody reads that many frames, and painting them would keep a person's
 * keys waiting. The dearer a frame is, the rarer it comes.
 */
export function paintingBy(paint: () => void, clock: Clock): Painting {
  let timer: NodeJS.Timeout | null = null
  let paintedAt = 0
  let costMs = 0
  const now = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const startedAt = clock()
    paint()
    paintedAt = clock()
    costMs = paintedAt - startedAt
  }
  return {
    now,
    soon: () => {
      const waitMs = Math.max(FRAME_MS, costMs * REST) - (clock() - paintedAt)
      timer ??= setTimeout(now, Math.min(FRAME_MS_MAX, Math.max(0, waitMs)))
    },
    end: () => {
      if (timer !== null) clearTimeout(timer)
      timer = null
    },
  }
}

const FRAME_MS = 50
const FRAME_MS_MAX = 1_000
const REST = 4
