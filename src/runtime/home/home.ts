import { accessSync, appendFileSync, constants, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readText } from '../../base/regular-file.ts'
import { homeProblem } from '../../config/own-home.ts'
import type { StartedProcess } from '../../event/work.ts'
import { LogError } from '../../log/log.ts'
import { realFile, refuseSpecial } from '../../log/sqlite-file.ts'
import { endLeftBehind } from '../../tool/process/left-behind.ts'

/** The real path of a home's log: the home, or the log in it, may be a link. */
export function logFile(home: string): string {
  const file = join(home, 'log.db')
  refuseSpecial(file)
  return realFile(file)
}

/** The size of the log, with its write-ahead log. */
export function logBytes(home: string): number {
  const file = logFile(home)
  const sizes = [file, `${file}-wal`].map((name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0)
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Creates a missing home, readable by its owner only. */
export function makeHome(home: string): void {
  const problem = homeProblem(home)
  if (problem !== undefined) throw new LogError('unreadable', problem)
  try {
    // Before mkdir, whose error about a file in its place is hard to understand.
    requireDirectory(home)
    makeFolder(home)
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw unusable(home, cause)
  }
}

/** Not `recursive`: Node then tries for ever where the system makes no folders, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may make it at the same time.
    if (!existsSync(path)) throw error
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

/** Remembers in a file which programs run that belong to no call, so that the next start can end them. */
export function processesIn(home: string) {
  const file = join(home, 'processes')
  return {
    started: ({ group, startTime }: StartedProcess): void =>
      appendFileSync(file, `${group} ${startTime ?? ''}\n`, { mode: 0o600 }),
    endLeft: async (): Promise<void> => {
      const read = readText(file)
      if ('problem' in read && read.code === 'ENOENT') return
      if ('problem' in read) throw new LogError('unreadable', `${file} ${read.problem}: move it away`)
      const left = read.text.split('\n').map((line) => /^(\d+) (.+)$/.exec(line) ?? [])
      await Promise.all(
        left.map(([, group, startTime = null]) => endLeftBehind({ group: Number(group), startTime })),
      )
      rmSync(file, { force: true })
    },
  }
}
