import { expect, test } from 'vitest'
import { Happenings } from './happenings.ts'
import { report, simulate } from './simulation.ts'

const SEEDS = 120
/** What happens less often than this in so many worlds was not tried. */
const OFTEN = 25

test('[LOG1] [LOG2] [LOG3] [LOG6] [CTX2] [CTX3] 120 worlds keep the laws through concurrency, clock jumps, full disks and kills', async () => {
  const happenings = new Happenings()
  for (let seed = 1; seed <= SEEDS; seed++) {
    const failure = await simulate(seed, happenings)
    expect(failure && report(failure)).toBeUndefined()
  }
  expect(happenings.rarerThan(OFTEN)).toEqual([])
})
