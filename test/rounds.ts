import fc from 'fast-check'

/**
 * How much of what is random is tried. `npm test` tries a tenth of it, always from the same seeds, so that it says the
 * same today and tomorrow. `npm run simulate` tries more of it, from seeds of its own.
 */
const SHARE = Number(process.env['TEST_SHARE'] ?? 0.1)
const FIRST_SEED = Number(process.env['TEST_SEED'] ?? 1)

/** A smaller run need not have seen everything. */
export const isWholeRun = SHARE >= 1

/** How many of so many tries are made now. */
export function rounds(all: number): number {
  return Math.ceil(all * Math.min(1, SHARE))
}

/** The seeds of so many tries. */
export function seeds(all: number): number[] {
  return Array.from({ length: rounds(all) }, (_, index) => FIRST_SEED + index)
}

/** For what says nothing else itself. Runs before each test file. */
fc.configureGlobal({ seed: FIRST_SEED, numRuns: rounds(100) })
