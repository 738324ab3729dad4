import type { Definition } from '../../../src/schedule/definition.ts'
import type { JobShelf, LoadedJob } from '../../../src/schedule/job-shelf.ts'
import { filesFor, shelved, sortShelf, type Shelved, type Sorted } from '../../../src/schedule/shelving.ts'
import { definitionText } from '../../../src/schedule/write-definition.ts'

/** The job files. They outlive a process. */
export class JobDisk {
  readonly #files = new Map<string, Shelved>()

  get files(): ReadonlyMap<string, Shelved> {
    return this.#files
  }

  get sorted(): Sorted {
    return sortShelf([...this.#files.values()])
  }

  /** Appears whole or not at all. */
  put(file: string, found: Shelved): void {
    this.#files.set(file, found)
  }

  remove(file: string): boolean {
    return this.#files.delete(file)
  }
}

export interface ShelfParts {
  readonly disk: JobDisk
  readonly now: () => number
  /** Every disk access takes a while; a dead process stops here. */
  readonly pause: () => Promise<void>
  /** The file is written, and its writer does not know yet. */
  readonly wrote: () => Promise<void>
  /** The process knows this from now on. */
  readonly sees: (sorted: Sorted) => void
  /** The scheduler looks at them. */
  readonly looks: () => void
  /** The host is about to remove it, because it is done. */
  readonly tidies: (job: LoadedJob) => void
}

export interface SimShelf extends JobShelf {
  /** For the cleanup of finished jobs. */
  readonly tidying: JobShelf
  /** Called when the known jobs change. */
  onChange: () => void
  /** The process notices what is on the disk now. */
  look(): void
}

/** Job files as a process knows them: it notices other people's changes later. */
export function simShelf(parts: ShelfParts): SimShelf {
  const { disk, pause, wrote, now } = parts
  let seen = new Map(disk.files)
  let sorted = sortShelf([...seen.values()])
  parts.sees(sorted)
  const remove = async (file: string, about: (job: LoadedJob) => void): Promise<boolean> => {
    await pause()
    const there = disk.files.get(file)
    // A file that somebody put there since is a different one.
    if (there === undefined || there !== seen.get(file)) return false
    if ('job' in there) about(there.job)
    disk.remove(file)
    await wrote()
    shelf.look()
    return true
  }
  const shelf: SimShelf = {
    tidying: {
      jobs: () => {
        parts.looks()
        return sorted.jobs
      },
      problems: () => sorted.problems,
      refresh: () => shelf.refresh(),
      write: (definition) => shelf.write(definition),
      remove: (file) => remove(file, parts.tidies),
    },
    onChange: () => undefined,
    look: () => {
      const isSame =
        seen.size === disk.files.size && [...seen].every(([file, one]) => disk.files.get(file) === one)
      if (isSame) return
      seen = new Map(disk.files)
      sorted = sortShelf([...seen.values()])
      parts.sees(sorted)
      shelf.onChange()
    },
    jobs: () => sorted.jobs,
    problems: () => sorted.problems,
    refresh: async () => {
      await pause()
      shelf.look()
    },
    write: async (definition) => {
      const text = await definitionText(definition)
      await pause()
      shelf.look()
      const file = await place(disk, definition, { text, changedAt: now() })
      await wrote()
      shelf.look()
      return file
    },
    remove: (file) => remove(file, () => undefined),
  }
  return shelf
}

/** In the file of that job, or in an unused one. */
async function place(
  disk: JobDisk,
  definition: Definition,
  { text, changedAt }: { text: string; changedAt: number },
): Promise<string> {
  const { kind, id } = definition
  for (;;) {
    const known = disk.sorted.jobs.find(({ definition: one }) => one.kind === kind && one.id === id)
    const file = known?.file ?? freeName(disk, definition)
    const before = disk.files.get(file)
    const found = await shelved({ file, text, changedAt })
    if (disk.files.get(file) !== before) continue
    disk.put(file, found)
    return file
  }
}

function freeName(disk: JobDisk, definition: Definition): string {
  for (const file of filesFor(definition)) if (!disk.files.has(file)) return file
  throw new Error('there is always another name')
}
