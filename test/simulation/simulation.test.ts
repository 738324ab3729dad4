import { expect, test } from 'vitest'
import { report, simulate } from './simulation.ts'

const SEEDS = 200

test('[LOG1] [LOG2] [LOG3] [LOG6] [CTX2] [CTX3] 200 worlds keep the laws through concurrency, clock jumps and kills', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const failure = await simulate(seed)
    expect(failure && report(failure)).toBeUndefined()
  }
})
