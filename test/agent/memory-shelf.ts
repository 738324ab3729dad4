import type { Definition } from '../../src/schedule/definition.ts'
import { findJob, JobTakenError, type JobShelf } from '../../src/schedule/job-shelf.ts'
import { filesFor, shelved, sortShelf, type Shelved } from '../../src/schedule/shelving.ts'
import { definitionText } from '../../src/schedule/write-definition.ts'

export interface MemoryShelf extends JobShelf {
  /** What stands in each file, by its path from the workspace. */
  readonly files: ReadonlyMap<string, string>
  /** As if a person wrote the file and it was read at once. */
  put(file: string, text: string): Promise<void>
  /** As if a person wrote the file and nobody has read it yet. */
  slip(file: string, text: string): void
}

/** Jobs in files that nobody else sees. */
export function memoryShelf({ now }: { readonly now: () => number } = { now: () => 0 }): MemoryShelf {
  const files = new Map<string, string>()
  const found = new Map<string, { readonly text: string; readonly one: Shelved }>()
  let sorted = sortShelf([])
  const sort = (): void => void (sorted = sortShelf([...found.values()].map(({ one }) => one)))
  const read = async (file: string, text: string): Promise<void> => {
    found.set(file, { text, one: await shelved({ file, text, changedAt: now() }) })
  }
  const put = async (file: string, text: string): Promise<void> => {
    files.set(file, text)
    await read(file, text)
    sort()
  }
  const refresh = async (): Promise<void> => {
    for (const [file, text] of files) if (found.get(file)?.text !== text) await read(file, text)
    sort()
  }
  const fileFor = ({ kind, id }: Definition): string => {
    const known = sorted.jobs.find(({ definition: one }) => one.kind === kind && one.id === id)
    if (known !== undefined) return known.file
    for (const file of filesFor({ kind, id })) if (!files.has(file)) return file
    throw new Error('there is always another name')
  }
  return {
    files,
    put,
    slip: (file, text) => void files.set(file, text),
    jobs: () => sorted.jobs,
    problems: () => sorted.problems,
    refresh,
    write: async (definition, { isNew } = { isNew: false }) => {
      const { kind: what, id: job } = definition
      if (isNew) await refresh()
      const known = findJob({ jobs: () => sorted.jobs }, { what, job })
      if (isNew && known !== undefined) throw new JobTakenError(definition, known.file)
      const file = fileFor(definition)
      await put(file, await definitionText(definition))
      return file
    },
    remove: async (file) => {
      if (!files.has(file) || files.get(file) !== found.get(file)?.text) return false
      found.delete(file)
      sort()
      return files.delete(file)
    },
  }
}
