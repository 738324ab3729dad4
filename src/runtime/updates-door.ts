import { watch, type FSWatcher } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { assert, AssertionError } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import { counted, sentence } from '../base/words.ts'
import { boundBranch } from '../command/binding.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Address } from '../event/work.ts'
import type { Log } from '../log/log.ts'
import { updateKeyTable } from '../agent/tables.ts'
import { mainAbove } from '../agent/updates.ts'
import { handedInFolder, lookThrough, removeHandedIn, setAside, type Bad } from './handed-in.ts'

export interface DoorParts {
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
export async function openUpdatesDoor(parts: DoorParts): Promise<{ close(): Promise<void> }> {
  const { home, fail } = parts
  const tell = tellOnce(parts)
  const unlessBug = (error: unknown): void =>
    error instanceof AssertionError ? fail(error) : tell.ofTrouble(error)
  await mkdir(handedInFolder(home), { recursive: true, mode: 0o700 }).catch(unlessBug)
  let taking = Promise.resolve()
  let [isClosed, isQueued] = [false, false]
  const take = async (): Promise<void> => {
    isQueued = false
    if (!isClosed && (await takeIn(parts, tell.ofBad)) === 'more') look()
  }
  const look = (): void => {
    if (isQueued) return
    isQueued = true
    taking = taking.then(take).catch(unlessBug)
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

interface Tell {
  readonly ofTrouble: (error: unknown) => void
  readonly ofBad: (bad: readonly Bad[]) => void
}

/** Whoever fills the folder with what is none should not fill the person's screen as well. */
function tellOnce({ home, warn }: DoorParts): Tell {
  const told = new Set<string>()
  const once = (what: string, text: string): void => {
    if (!told.has(what)) warn?.(text)
    told.add(what)
  }
  const folder = handedInFolder(home)
  return {
    ofTrouble: (error) => {
      const message = sentence(error instanceof Error ? error.message : String(error))
      once(
        'trouble',
        `Updates in ${folder} cannot be taken in: ${message} See to it; the next start tries again.`,
      )
    },
    ofBad: ([first, ...more]) => {
      if (first === undefined) return
      const others =
        more.length === 0 ? '' : ` So ${more.length === 1 ? 'was' : 'were'} ${counted(more.length, 'other')}.`
      once(
        'bad',
        `${first.name} in ${folder} is no update (${first.because}) and is set aside as ${first.name}.bad.${others} Look at what puts such things there; what is set aside can be removed.`,
      )
    },
  }
}

async function takeIn(parts: DoorParts, tellOfBad: Tell['ofBad']): Promise<'more' | 'all'> {
  const { home, log, now, conversation } = parts
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
  const moved = await setAside(home, bad)
  tellOfBad(bad)
  const isDone = isWhole || waiting.length + moved === 0
  return waiting.length > TAKEN_MAX || !isDone ? 'more' : 'all'
}

function mainOf(reader: Reader, conversation: Address): BranchId {
  const branch = boundBranch(reader, conversation)
  assert(branch !== undefined, 'a life binds its conversation when it begins')
  return mainAbove(reader, branch) ?? branch
}
