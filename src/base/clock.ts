/** Milliseconds since 1970, UTC. Time comes in as an argument everywhere else. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** For measuring spans, never for telling the time. */
export const stopwatchMs: Clock = () => performance.now()
