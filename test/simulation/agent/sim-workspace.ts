import type { Workspace } from '../../../src/tool/files/workspace.ts'

export interface WorkspaceParts {
  /** They outlive a process. */
  readonly files: Map<string, string>
  /** Everything on a disk takes a while; whoever is dead stays here. */
  readonly pause: () => Promise<void>
  /** It is about to stand there. */
  readonly writes: (path: string, text: string) => void
  /** It stands there, and whoever wrote it does not know yet. */
  readonly wrote: () => Promise<void>
}

/** The files of a workspace as a process sees them: like the product's, one change after the other. */
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
    write: (path, text) => change(path, async () => text),
    change,
    remove: async (path) => {
      await pause()
      return files.delete(path)
    },
    list: async () => ({ files: [], links: [], isWhole: true }),
  }
}
