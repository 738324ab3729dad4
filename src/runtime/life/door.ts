import { watch, type FSWatcher } from 'node:fs'
import { Again } from '../../base/again.ts'
import { counted, sentence } from '../../base/words.ts'
import { makeDropFolder, type Bad } from './drop-folder.ts'

export interface DoorParts {
  readonly folder: string
  /** `update` */
  readonly thing: string
  /** Takes in what waits there, or a part of it. */
  readonly take: (tellOfBad: (bad: readonly Bad[]) => void) => Promise<'more' | 'all'>
  readonly isBug: (error: unknown) => boolean
  /** Told once of what stands in the way there. */
  readonly warn?: ((text: string) => void) | undefined
  /** Of a bug alone: what others put into the folder ends no life. */
  readonly fail: (error: unknown) => void
}

export interface Door {
  close(): Promise<void>
}

/** Takes in what other processes leave in a folder, at the start and as it comes. */
export async function openDoor(parts: DoorParts): Promise<Door> {
  const { folder, isBug, fail } = parts
  const tell = tellOnce(parts)
  const unlessBug = (error: unknown): void => (isBug(error) ? fail(error) : tell.ofTrouble(error))
  await makeDropFolder(folder).catch(unlessBug)
  const rounds: Again = new Again(
    async () => {
      if ((await parts.take(tell.ofBad)) === 'more') void rounds.ask()
    },
    { fail: unlessBug },
  )
  const watcher = watching(folder, () => void rounds.ask())
  void rounds.ask()
  await rounds.settled()
  return {
    close: async () => {
      watcher?.close()
      await rounds.close()
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

/** Whoever fills the folder with what does not belong there should not fill the person's screen as well. */
function tellOnce({ folder, thing, warn }: DoorParts): Tell {
  const told = new Set<string>()
  const once = (what: string, text: string): void => {
    if (!told.has(what)) warn?.(text)
    told.add(what)
  }
  const things = `${thing.replace(/^./, (letter) => letter.toUpperCase())}s`
  return {
    ofTrouble: (error) => {
      const message = sentence(error instanceof Error ? error.message : String(error))
      once(
        'trouble',
        `${things} in ${folder} cannot be taken in: ${message} See to it; the next start tries again.`,
      )
    },
    ofBad: ([first, ...more]) => {
      if (first === undefined) return
      const others =
        more.length === 0 ? '' : ` So ${more.length === 1 ? 'was' : 'were'} ${counted(more.length, 'other')}.`
      once(
        'bad',
        `${first.name} in ${folder} is no ${thing} (${first.because}) and is set aside as ${first.name}.bad.${others} Look at what puts such things there; what is set aside can be removed.`,
      )
    },
  }
}
