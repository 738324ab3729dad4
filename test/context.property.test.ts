import fc from 'fast-check'
import { test } from 'vitest'
import { chainOf } from './model/chain.ts'
import { operations, type Operation } from './model/operations.ts'
import { run } from './model/run.ts'

const RUNS = Number(process.env['RUNS'] ?? 2_500)
const CHAINS = Number(process.env['CHAINS'] ?? 40)

test('[CTX2] [CTX3] [CTX7] [FORK1] [FORK2] every branch shows what the naive model shows, after every operation', async () => {
  const holds = fc.asyncProperty(operations, async (sequence) => void (await run(sequence)))
  await fc.assert(holds, { numRuns: RUNS })
})

test('[CTX2] [MARK1] old marks are found through hundreds of nested summaries, broken by rewinds and saves', async () => {
  const looksBack = ({ do: act }: Operation) => act !== 'turn' && act !== 'compact' && act !== 'mark'
  const holds = fc.asyncProperty(chainOf({ minLength: 60, maxLength: 120 }), async (sequence) => {
    await run(sequence, { branchesMax: 16, isTelling: looksBack })
  })
  await fc.assert(holds, { numRuns: CHAINS })
})
