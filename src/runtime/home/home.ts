import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { homeProblem } from '../../config/own-home.ts'
import { LogError } from '../../log/log.ts'
import { realFile, refuseSpecial } from '../../log/sqlite-file.ts'

/** The real path of a home's log: the home, or the log in it, may be a link. */
export function logFile(home: string): string {
  const file = join(home, 'log.db')
  refuseSpecial(file)
  return realFile(file)
}

/** Creates a missing home, readable by its owner only. */
export function makeHome(home: string): void {
  const problem = homeProblem(home)
  if (problem !== undefined) throw new LogError('unreadable', problem)
  try {
    // Before mkdir, whose error about a file in its place is hard to understand.
    requireDirectory(home)
    mkdirSync(home, { recursive: true, mode: 0o700 })
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw unusable(home, cause)
  }
}

/** For reading: a home that exists must be a readable directory. */
export function requireHome(home: string): void {
  try {
    if (requireDirectory(home)) accessSync(home, constants.R_OK | constants.X_OK)
  } catch (cause) {
    throw unusable(home, cause)
  }
}

/** False: there is nothing yet. */
function requireDirectory(home: string): boolean {
  const found = statSync(home, { throwIfNoEntry: false })
  if (found?.isDirectory() === false) throw new Error('it is not a directory')
  return found !== undefined
}

export function unusable(home: string, cause: unknown): LogError {
  const why = (cause as Error).message
  return new LogError(
    'unreadable',
    `the home ${home} cannot be used: ${why}. Make it a directory of yours, or name another with --home`,
    cause,
  )
}
