import type { Workspace } from '../../../src/tool/files/workspace.ts'

export interface WorkspaceParts {
  /** They outlive a process. */
  readonly files: Map<string, string>
  /** Every disk access takes a while; a dead process stops here. */
  readonly pause: () => Promise<void>
  /** The file is about to be written. */
  readonly writes: (path: string, text: string) => void
  /** The file is written, and its writer does not know yet. */
  readonly wrote: () => Promise<void>
}

/** The workspace's files as a process sees them: like the product's, one change after the other. */
export function simWorkspace(parts: WorkspaceParts): Workspace & { readonly root: string } {
  const { files, pause, writes, wrote } = parts
  let last: Promise<void> = Promise.resolve()
  const change: Workspace['change'] = (path, decide) => {
    const work = async (): Promise<void> => {
      await pause()
      const text = await decide({ place: path, before: files.get(path) })
      await pause()
      if (text === undefined) return
      writes(path, text)
      files.set(path, text)
      await wrote()
    }
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  return {
    root: '/workspace',
    place: (path) => path,
    folderPlace: (path) => path,
    realPlace: (path) => path,
    glance: (path) => files.get(path),
    read: async (path) => {
      await pause()
      return files.get(path)
    },
    readAny: async (path) => Buffer.from(files.get(path) ?? ''),
    write: (path, text) => change(path, async () => text),
    change,
    remove: async (path) => {
      await pause()
      return files.delete(path)
    },
    list: async () => ({ files: [], links: [], isWhole: true }),
  }
}
