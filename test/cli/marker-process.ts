import { setTimeout } from 'node:timers/promises'
import { systemClock } from '../../src/base/clock.ts'
import { systemRandom } from '../../src/base/random.ts'
import { createBranch } from '../../src/context/fork.ts'
import { makeBranchId } from '../../src/event/id.ts'
import { openForWriting } from '../../src/runtime/home/open-log.ts'

/** Begins one branch after the other, with a breath between, so that every event is in a derived table too. */
const log = openForWriting({ home: process.argv[2] ?? '', command: 'busy writer' })
const author = { by: 'person' } as const
for (let count = 0; ; count++) {
  await log.write((writing) => {
    const child = makeBranchId(systemClock(), systemRandom)
    writing.append(createBranch({ child, mode: 'fork', title: null, at: systemClock(), author }).draft)
  })
  if (count === 0) console.log('writing')
  await setTimeout(2)
}
