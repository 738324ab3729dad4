import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chainOf } from './model/chain.ts'
import { operations, type Operation } from './model/operations.ts'
import { run } from './model/run.ts'
import { isWholeRun, rounds } from './rounds.ts'

const RUNS = rounds(1_200)
const CHAINS = rounds(40)

/** What the window came to; a law that was never tried was not kept. */
const OUTCOMES = [
  'messages',
  'tokens',
  'truncation',
  'by-person',
  'must-fit',
  'explicit',
  'held-off',
  'refused',
  'frees-too-little',
  'nothing-to-cover',
  'within a turn',
  'may extract',
  'does not fit',
  'abandoned',
]
const TIMES_IN_THOUSAND = 50

test('[CTX2] [CTX3] [CTX7] [FORK1] [FORK2] every branch shows what the naive model shows, and loses no message, after every operation', async () => {
  const tried = new Map<string, number>()
  const holds = fc.asyncProperty(operations, async (sequence) => {
    const trial = await run(sequence)
    for (const [what, times] of trial.tried) tried.set(what, (tried.get(what) ?? 0) + times)
  })
  await fc.assert(holds, { numRuns: RUNS })
  const seldom = OUTCOMES.filter((what) => (tried.get(what) ?? 0) * 1_000 < TIMES_IN_THOUSAND * RUNS)
  if (isWholeRun) expect(seldom).toEqual([])
})

test('[CTX2] [MARK1] old marks are found through hundreds of nested summaries, broken by rewinds and saves', async () => {
  const holds = fc.asyncProperty(chainOf(150), async (sequence) => {
    await run(sequence, { branchesMax: 16, isTelling: looksBack })
  })
  await fc.assert(holds, { numRuns: CHAINS })
})

function looksBack({ do: act }: Operation): boolean {
  return act !== 'turn' && act !== 'compact' && act !== 'mark'
}
