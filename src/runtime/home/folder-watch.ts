import { statSync, watch, type FSWatcher } from 'node:fs'
import { join } from 'node:path'

export interface FolderWatchOptions {
  readonly root: string
  /** In it, by their names; they may come and go. */
  readonly folders: readonly string[]
  /** Names in the folders that matter. */
  readonly matters: (name: string) => boolean
  readonly onChange: () => void
}

export interface FolderWatch {
  /** Watches what is there now, which may be another folder of the same name; false: something cannot be watched. */
  heal(): boolean
  close(): void
}

interface Held {
  readonly watcher: FSWatcher
  readonly identity: string
}

/** Hears of what changes in some folders of a folder. What it hears is only a reason to look. */
export function watchFolders(options: FolderWatchOptions): FolderWatch {
  const { root, folders, matters, onChange } = options
  const held = new Map<string, Held>()
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
      // A folder that was taken away, or too many watchers on the machine: the next look finds out.
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
    heal: () => {
      const isRootHeld = hold(root, (name) => folders.includes(name))
      const all = folders.map((folder) => hold(join(root, folder), matters))
      return isRootHeld && all.every(Boolean)
    },
    close: () => {
      for (const path of held.keys()) drop(path)
    },
  }
}

/** Undefined: there is no such folder. */
function identityOf(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found?.isDirectory() === true ? `${found.dev}:${found.ino}` : undefined
  } catch {
    return undefined
  }
}
