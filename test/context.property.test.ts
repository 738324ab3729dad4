import fc from 'fast-check'
import { test } from 'vitest'
import { chainOf } from './model/chain.ts'
import { operations, type Operation } from './model/operations.ts'
import { run } from './model/run.ts'

const RUNS = Number(process.env['RUNS'] ?? 2_000)
const CHAINS = Number(process.env['CHAINS'] ?? 40)

test('[CTX2] [CTX3] [CTX7] [FORK1] [FORK2] every branch shows what the naive model shows, after every operation', async () => {
  const holds = fc.asyncProperty(operations, async (sequence) => void (await run(sequence)))
  await fc.assert(holds, { numRuns: RUNS })
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
