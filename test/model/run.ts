import { audit } from '../../src/context/audit.ts'
import { contextProjections } from '../../src/context/fold.ts'
import type { Event } from '../../src/event/event.ts'
import type { Log } from '../../src/log/log.ts'
import { MemoryDisk, openMemoryLog } from '../../src/log/memory.ts'
import { Comparison } from './compare.ts'
import { dump, foldAgain } from './dump.ts'
import type { Operation } from './operations.ts'
import { createRoot, perform } from './perform.ts'
import { Disagreement, Trial } from './trial.ts'

export interface RunOptions {
  readonly branchesMax?: number
  /** Which operations to compare after; default: all. The last state is always compared. */
  readonly isTelling?: (operation: Operation) => boolean
}

/** Runs operations on a log in memory and on the naive model, and compares all branches. */
export async function run(
  operations: readonly Operation[],
  { branchesMax, isTelling = () => true }: RunOptions = {},
): Promise<Trial> {
  const trial = new Trial(branchesMax)
  const disk = new MemoryDisk()
  const comparison = new Comparison()
  let log = open(disk)
  await log.write((writing) => createRoot(trial, writing, 'main'))
  for (const [index, operation] of operations.entries()) {
    if (operation.do === 'restart') {
      await log.close()
      log = open(disk)
    }
    await log.write((writing) => perform(trial, writing, operation))
    if (!isTelling(operation) && index < operations.length - 1) continue
    await log.read((reader) => comparison.compare(trial, reader))
  }
  await checkFold(log)
  await log.close()
  return trial
}

/** CTX2: the live state equals the fold of the log. */
async function checkFold(log: Log): Promise<void> {
  const events: Event[] = []
  for await (const event of log.events()) events.push(event)
  const [live, folded] = [await log.read(dump), dump(foldAgain(events))]
  if (live !== folded) throw new Disagreement('[CTX2] the live state is not what the log folds to')
}

function open(disk: MemoryDisk): Log {
  return openMemoryLog({ disk, projections: [audit, ...contextProjections] })
}
