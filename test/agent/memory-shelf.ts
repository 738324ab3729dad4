import type { Definition } from '../../src/schedule/definition.ts'
import type { JobShelf } from '../../src/schedule/job-shelf.ts'
import { filesFor, shelved, sortShelf, type Shelved } from '../../src/schedule/shelving.ts'
import { definitionText } from '../../src/schedule/write-definition.ts'

export interface MemoryShelf extends JobShelf {
  /** What stands in each file, by its path from the workspace. */
  readonly files: ReadonlyMap<string, string>
  /** As if a person wrote the file and it was read at once. */
  put(file: string, text: string): Promise<void>
}

/** Jobs in files that nobody else sees. */
export function memoryShelf({ now }: { readonly now: () => number } = { now: () => 0 }): MemoryShelf {
  const files = new Map<string, string>()
  const found = new Map<string, Shelved>()
  const put = async (file: string, text: string): Promise<void> => {
    files.set(file, text)
    found.set(file, await shelved({ file, text, changedAt: now() }))
  }
  const sorted = () => sortShelf([...found.values()])
  const fileFor = ({ kind, id }: Definition): string => {
    const known = sorted().jobs.find(({ definition: one }) => one.kind === kind && one.id === id)
    if (known !== undefined) return known.file
    for (const file of filesFor({ kind, id })) if (!files.has(file)) return file
    throw new Error('there is always another name')
  }
  return {
    files,
    put,
    jobs: () => sorted().jobs,
    problems: () => sorted().problems,
    refresh: async () => undefined,
    write: async (definition) => {
      const file = fileFor(definition)
      await put(file, await definitionText(definition))
      return file
    },
    remove: async (file) => {
      found.delete(file)
      return files.delete(file)
    },
  }
}
