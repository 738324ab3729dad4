/** Milliseconds since 1970, UTC. Time comes in as an argument everywhere else. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** For measuring spans, never for telling the time. */
export const stopwatchMs: Clock = () => performance.now()

/** Resolves when the work is done or the time is over, whichever comes first. */
export async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, ms)
  try {
    await Promise.race([work, over.promise])
  } finally {
    clearTimeout(timer)
  }
}
