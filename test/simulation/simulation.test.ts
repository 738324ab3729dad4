import { expect, test } from 'vitest'
import { Happenings } from './happenings.ts'
import { report, simulate } from './simulation.ts'
import { seeds } from '../rounds.ts'

test('[LOG1] [LOG2] [LOG3] [LOG6] [CTX2] [CTX3] worlds keep the laws through concurrency, clock jumps, full disks and kills', async () => {
  const happenings = new Happenings()
  for (const seed of seeds(120)) {
    const failure = await simulate(seed, happenings)
    expect(failure && report(failure)).toBeUndefined()
  }
})
