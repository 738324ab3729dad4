import type { Clock } from '../../../base/clock.ts'

/**
 * Says when to paint: at once for what a person does, otherwise a few times a second. A model writes hundreds of pieces
 * a second; painting each would keep a person's keys waiting. The longer a frame takes, the rarer it comes.
 */
export function paintingBy(paint: () => void, clock: Clock) {
  let timer: NodeJS.Timeout | undefined
  let paintedAt = 0
  let costMs = 0
  const end = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  const now = (): void => {
    end()
    const startedAt = clock()
    paint()
    paintedAt = clock()
    costMs = paintedAt - startedAt
  }
  const soon = (): void => {
    const waitMs = Math.max(FRAME_MS, costMs * REST) - (clock() - paintedAt)
    timer ??= setTimeout(now, Math.min(FRAME_MS_MAX, Math.max(0, waitMs)))
  }
  return { now, soon, end }
}

const FRAME_MS = 50
const FRAME_MS_MAX = 1_000
const REST = 4
