import { createInterface } from 'node:readline'
import { systemClock } from '../../src/base/clock.ts'
import { systemRandom } from '../../src/base/random.ts'
import { isRefusal } from '../../src/context/decision.ts'
import { createBranch } from '../../src/context/fork.ts'
import { addMessage } from '../../src/context/step.ts'
import { makeBranchId, type Position } from '../../src/event/id.ts'
import { openForWriting } from '../../src/runtime/home/open-log.ts'

/** Holds a log and appends each line of its input as a message of a branch of its own. */
const log = openForWriting({ home: process.argv[2] ?? '', command: 'other writer' })
const branch = makeBranchId(systemClock(), systemRandom)
const author = { by: 'person' } as const
await log.write((writing) => {
  writing.append(createBranch({ child: branch, mode: 'fork', title: null, at: systemClock(), author }).draft)
})
console.log('ready')
for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line) as string
  const position = await log.write((writing): Position => {
    const added = addMessage(writing, {
      branch,
      at: systemClock(),
      message: { role: 'user', text },
      tokens: 1,
    })
    if (isRefusal(added)) throw new Error(added.refused)
    return writing.append(added.draft)
  })
  console.log(position)
}
await log.close()
