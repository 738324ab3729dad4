/** A whole number of 32 random bits. Chance comes in as an argument everywhere else. */
export type Random = () => number

export const systemRandom: Random = () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0

/** A name that nobody else makes up. */
export const newKey = (): string => crypto.randomUUID()

/** The same seed gives the same numbers, on every machine (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}
