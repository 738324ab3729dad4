import { assert, AssertionError } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import type { Log } from '../../log/log.ts'
import { updateKeyTable } from '../../agent/state/tables.ts'
import { openDoor, type Door } from './door.ts'
import { setAside, type Bad } from './drop-folder.ts'
import { handedInFolder, lookThrough, removeHandedIn } from './handed-in.ts'
import { mainAbove } from '../../agent/state/person.ts'

export interface UpdatesDoorParts {
  readonly home: string
  readonly log: Log
  readonly now: Clock
  /** Its main is told. */
  readonly conversation: Address
  /** Told once of what stands in the way there. */
  readonly warn?: (text: string) => void
  /** Of a bug alone: what others put into the folder ends no life. */
  readonly fail: (error: unknown) => void
}

/** At once; the start waits for no more, and the rest comes behind it. */
const TAKEN_MAX = 200

/**
 * Takes in what other processes hand in for main, at the start and as it comes. A file is removed behind the event that
 * has its name, so that a death in between tells nothing twice.
 */
export function openUpdatesDoor(parts: UpdatesDoorParts): Promise<Door> {
  const { home, warn, fail } = parts
  return openDoor({
    folder: handedInFolder(home),
    thing: 'update',
    take: (tellOfBad) => takeIn(parts, tellOfBad),
    isBug: (error) => error instanceof AssertionError,
    warn,
    fail,
  })
}

async function takeIn(
  { home, log, now, conversation }: UpdatesDoorParts,
  tellOfBad: (bad: readonly Bad[]) => void,
): Promise<'more' | 'all'> {
  const { waiting, bad, isWhole } = await lookThrough(home)
  const author = { by: 'policy', name: 'handed-in' } as const
  for (const { name: key, text, source, at: reportedAt } of waiting.slice(0, TAKEN_MAX)) {
    const at = Math.min(reportedAt, now())
    await log.write((writing) => {
      if (writing.row(updateKeyTable, [key]) !== undefined) return
      const branch = mainOf(writing, conversation)
      writing.append({ kind: 'update-reported', branch, at, v: 1, source, text, from: null, author, key })
    })
    await removeHandedIn(home, key)
  }
  const moved = await setAside(handedInFolder(home), bad)
  tellOfBad(bad)
  const isDone = isWhole || waiting.length + moved === 0
  return waiting.length > TAKEN_MAX || !isDone ? 'more' : 'all'
}

function mainOf(reader: Reader, conversation: Address): BranchId {
  const branch = boundBranch(reader, conversation)
  assert(branch !== undefined, 'a life binds its conversation when it begins')
  return mainAbove(reader, branch) ?? branch
}
