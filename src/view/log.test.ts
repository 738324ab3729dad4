import { expect, test } from 'vitest'
import { contextProjections } from '../context/fold.ts'
import { createBranch } from '../context/fork.ts'
import { isRefusal } from '../context/decision.ts'
import { makeBranchId } from '../event/id.ts'
import { seededRandom } from '../base/random.ts'
import { openMemoryLog } from '../log/memory.ts'
import { logPage } from './log.ts'

test('a page of the log looks through a bounded number of events, and the next one goes on behind them', async () => {
  const log = openMemoryLog({ projections: contextProjections })
  const branch = makeBranchId(1, seededRandom(1))
  const author = { by: 'person' } as const
  await log.write((writing) => {
    const made = createBranch({ child: branch, mode: 'main', title: null, at: 1, author })
    if (!isRefusal(made)) writing.append(made.draft)
    for (let n = 1; n < 30_000; n++)
      writing.append({ kind: 'mark-set', branch, at: 1, v: 1, name: `m${n}`, author })
  })
  const { signal } = new AbortController()
  const look = { grep: 'M29998', limit: 5, signal }
  const first = await logPage(log, look)
  expect(first).toEqual({ events: [], next: 20_000 })
  const second = await logPage(log, { ...look, after: 20_000 })
  expect(second).toMatchObject({ events: [{ position: 29_999, name: 'm29998' }], next: null })
  await log.close()
})
