import { watch, type FSWatcher } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { assert } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import { boundBranch } from '../command/binding.ts'
import { getBranch, lineOf } from '../context/branch.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Address } from '../event/work.ts'
import type { Log } from '../log/log.ts'
import { updateKeyTable } from '../agent/tables.ts'
import { handedInFolder, listHandedIn, removeHandedIn } from './handed-in.ts'

export interface DoorParts {
  readonly home: string
  readonly log: Log
  readonly now: Clock
  /** Its main is told. */
  readonly conversation: Address
  readonly fail: (error: unknown) => void
}

/**
 * Takes in what other processes hand in for main, at the start and as it comes. A file is removed behind the event that
 * has its name, so that a death in between tells nothing twice.
 */
export async function openUpdatesDoor(parts: DoorParts): Promise<{ close(): Promise<void> }> {
  const { home, fail } = parts
  await mkdir(handedInFolder(home), { recursive: true, mode: 0o700 })
  let taking = Promise.resolve()
  let isClosed = false
  const look = (): void => {
    taking = taking.then(() => (isClosed ? undefined : takeIn(parts))).catch(fail)
  }
  const watcher = watching(handedInFolder(home), look)
  look()
  await taking
  return {
    close: async () => {
      isClosed = true
      watcher?.close()
      await taking
    },
  }
}

/** Where the system cannot watch a folder, the next start looks. */
function watching(folder: string, look: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, look)
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}

async function takeIn({ home, log, now, conversation }: DoorParts): Promise<void> {
  for (const { name: key, text, source, at: reportedAt } of await listHandedIn(home)) {
    const at = Math.min(reportedAt, now())
    await log.write((writing) => {
      if (writing.row(updateKeyTable, [key]) !== undefined) return
      const branch = mainOf(writing, conversation)
      writing.append({ kind: 'update-reported', branch, at, v: 1, source, text, key })
    })
    await removeHandedIn(home, key)
  }
}

function mainOf(reader: Reader, conversation: Address): BranchId {
  const branch = boundBranch(reader, conversation)
  assert(branch !== undefined, 'a life binds its conversation when it begins')
  const line = lineOf(reader, getBranch(reader, branch))
  return line.find(({ mode }) => mode === 'main')?.id ?? branch
}
