import { rmSync, writeFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { parsedJson } from '../base/json.ts'
import { readText } from '../base/regular-file.ts'
import { LogError } from './log.ts'
import { isBusy, toLogError } from './sqlite-error.ts'
import { openDatabase, realFile } from './sqlite-file.ts'

/** Who holds a log. Shown in the error that a second process gets. */
export interface Holder {
  readonly command: string
  readonly pid: number
  readonly since: number
}

export interface WriterLock {
  release(): void
}

/**
 * One writer per log (LOG4). SQLite takes a lock of the operating system on a separate file, so it is released with the
 * process, even after `kill -9`. The name beside it is only for people.
 */
export function takeWriterLock(file: string, holder: Holder): WriterLock {
  const { lockFile, nameFile } = filesOf(file)
  let lock: DatabaseSync | undefined
  try {
    lock = openDatabase(lockFile, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    // A new file: if a link stood there, writing through it would overwrite what it points to.
    rmSync(nameFile, { force: true })
    writeFileSync(nameFile, `${JSON.stringify(holder)}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    lock?.close()
    throw refusal(file, error)
  }
  return {
    release() {
      rmSync(nameFile, { force: true })
      lock.close()
    },
  }
}

function filesOf(file: string): { lockFile: string; nameFile: string } {
  const real = realFile(file)
  return { lockFile: `${real}.lock`, nameFile: `${real}.holder.json` }
}

function refusal(file: string, error: unknown): LogError {
  if (isBusy(error)) return new LogError('in-use', inUse(file, holderOf(file)), error)
  const known = toLogError(file, error)
  if (known.code === 'full') return known
  // The lock is broken, but the log itself may be fine.
  return new LogError(
    'unreadable',
    `the lock ${filesOf(file).lockFile} cannot be taken: ${(error as Error).message}. Check that its directory exists ` +
      `and that you may write there; while no mainstem runs, a lock that is left over can be deleted`,
    error,
  )
}

function inUse(file: string, holder: Holder | undefined): string {
  const name = holder
    ? `'${holder.command}' (process ${holder.pid}, since ${new Date(holder.since).toISOString()})`
    : 'another process'
  return `the log ${file} is in use by ${name}; only one process writes to a log. Stop that one first, or use another --home`
}

/** Who holds the log now, as far as the name beside it tells. */
export function holderOf(file: string): Holder | undefined {
  const read = readText(filesOf(file).nameFile, { links: 'refuse' })
  const value = 'text' in read ? (parsedJson(read.text) as Partial<Holder> | null | undefined) : undefined
  // Still being written, or gone: the refusal stands without a name.
  if (typeof value?.command !== 'string' || typeof value.pid !== 'number') return undefined
  return Number.isFinite(value.since) ? (value as Holder) : undefined
}
