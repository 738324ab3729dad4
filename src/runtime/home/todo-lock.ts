import { messageOf } from '../../base/message-of.ts'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { TodoParts } from '../../agent/job/todo-list.ts'
import { isBusy } from '../../log/sqlite-error.ts'
import { openDatabase } from '../../log/sqlite-file.ts'
import { systemSleep } from '../../model/contract/sleep.ts'
import { PathError } from '../../tool/files/path.ts'
import { workspaceIn } from './workspace.ts'

const TRIES = 250
const PAUSE_MS = 20

/**
 * The to-do files. The command line changes them while another process runs, so each change holds a lock: otherwise an
 * item that one process adds could be lost. The operating system releases the lock when its process ends.
 */
export function todoFiles(home: string, root = join(home, 'workspace')): TodoParts['files'] {
  const workspace = workspaceIn(home, root)
  return {
    read: (path) => workspace.read(path),
    change: async (path, decide) => {
      const lock = await taken(join(home, 'todo.lock'))
      await workspace.change(path, decide).finally(() => lock.close())
    },
  }
}

async function taken(file: string): Promise<DatabaseSync> {
  const { signal } = new AbortController()
  for (let tries = 0; tries < TRIES; tries++) {
    const lock = tryLock(file)
    if (lock !== undefined) return lock
    await systemSleep(PAUSE_MS, signal)
  }
  throw new PathError('The to-do list is being changed by another process. Try again later.')
}

/** Undefined: another process, or another call in this one, holds the lock. */
function tryLock(file: string): DatabaseSync | undefined {
  let lock: DatabaseSync | undefined
  try {
    lock = openDatabase(file, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock?.close()
    if (isBusy(cause)) return undefined
    const why = messageOf(cause)
    throw new PathError(`The to-do list cannot be changed: the lock ${file} cannot be taken: ${why}.`, {
      cause,
    })
  }
}
