import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { LogError } from '../../log/log.ts'
import { realFile } from '../../log/sqlite-file.ts'

/** Where the log of a home really is: the home, or the log in it, may be a link. */
export function logFile(home: string): string {
  return realFile(join(home, 'log.db'))
}

/** Makes the home if it is not there, readable by its owner only. */
export function makeHome(home: string): void {
  try {
    // Asked first: what mkdir says of a file in its way, nobody would understand.
    if (statSync(home, { throwIfNoEntry: false })?.isDirectory() === false)
      throw new Error('it is not a directory')
    mkdirSync(home, { recursive: true, mode: 0o700 })
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw unusable(home, cause)
  }
}

/** For those who only look: a home that is there must be a directory that can be read. */
export function requireHome(home: string): void {
  if (!existsSync(home)) return
  try {
    if (!statSync(home).isDirectory()) throw new Error('it is not a directory')
    accessSync(home, constants.R_OK | constants.X_OK)
  } catch (cause) {
    throw unusable(home, cause)
  }
}

export function unusable(home: string, cause: unknown): LogError {
  const why = (cause as Error).message
  return new LogError(
    'unreadable',
    `the home ${home} cannot be used: ${why}. Make it a directory of yours, or name another with --home`,
    cause,
  )
}
