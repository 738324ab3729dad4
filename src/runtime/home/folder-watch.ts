import { statSync, watch, type FSWatcher } from 'node:fs'
import { join } from 'node:path'

/** Watches some folders inside a folder. A change is only a reason to look. */
export function watchFolders(options: {
  readonly root: string
  /** Names of folders in `root`; they may come and go. */
  readonly folders: readonly string[]
  /** Whether a file name in these folders matters. */
  readonly matters: (name: string) => boolean
  readonly onChange: () => void
}) {
  const { root, folders, matters, onChange } = options
  const held = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>()
  const drop = (path: string): void => {
    held.get(path)?.watcher.close()
    held.delete(path)
  }
  const hold = (path: string, isOfInterest: (name: string) => boolean): boolean => {
    const identity = identityOf(path)
    if (identity === held.get(path)?.identity) return true
    drop(path)
    if (identity === undefined) return path !== root
    try {
      const watcher = watch(path, { persistent: false }, (_, name) => {
        if (name === null || isOfInterest(name)) onChange()
      })
      // The folder was removed, or the machine has too many watchers: the next look finds out.
      watcher.on('error', () => {
        drop(path)
        onChange()
      })
      held.set(path, { watcher, identity })
      return true
    } catch {
      return false
    }
  }
  return {
    /** Watches the folders that exist now; false: one of them cannot be watched. */
    heal: (): boolean => {
      const isRootHeld = hold(root, (name) => folders.includes(name))
      const all = folders.map((folder) => hold(join(root, folder), matters))
      return isRootHeld && all.every(Boolean)
    },
    close: (): void => {
      for (const path of held.keys()) drop(path)
    },
  }
}

/** Undefined: the folder doesn't exist. */
function identityOf(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found?.isDirectory() === true ? `${found.dev}:${found.ino}` : undefined
  } catch {
    return undefined
  }
}
