import { messageOf } from '../base/message-of.ts'
import { LogError } from './log.ts'

const FULL = 13
const DAMAGED = new Set([11, 26])
/** The disk cannot read a part of the file. */
const SECTOR_LOST = 266
const UNREADABLE = new Set([3, 8, 14, 23])
const OUT_OF_REACH = new Set([8, 14])
const BUSY = new Set([5, 6])

/** Turns an error of SQLite or the disk into one that says whose fault it is and what to do. */
export function toLogError(file: string, error: unknown): LogError {
  if (error instanceof LogError) return error
  const code = primaryOf(error)
  const said = messageOf(error)
  const { code: errno, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (code === FULL || errno === 'ENOSPC') {
    const why = `no room left to write to ${file}: nothing of this was written, nothing before it is lost`
    return new LogError('full', `${why}. Free some space and try again`, error)
  }
  if (isDamage(error)) return damaged(file, said, error)
  if (UNREADABLE.has(code) || syscall === 'open' || syscall === 'access') {
    const advice = 'Check that the directory exists and that you may read and write there'
    return new LogError('unreadable', `the log ${file} cannot be opened: ${said}. ${advice}`, error)
  }
  if (isBusy(error)) {
    const why = `the log ${file} is locked by another program (${said})`
    return new LogError('in-use', `${why}; close it and try again`, error)
  }
  return new LogError('failed', `the log ${file} could not be used: ${said}`, error)
}

export function damaged(file: string, what: string, cause?: unknown): LogError {
  const advice = `Nothing more is written to it. 'mainstem export' brings out every event that can be read, 'mainstem doctor' says more`
  return new LogError('damaged', `the log ${file} is damaged: ${what}. ${advice}`, cause)
}

/** For damage that even export and doctor cannot read past. */
export function lost(file: string, what: string, cause?: unknown): LogError {
  const advice =
    `Its first pages say where everything is, so no event of it can be found. Restore the home from a copy; ` +
    `without one, copy this file elsewhere and try 'sqlite3 COPY .recover', which searches every page`
  return new LogError('damaged', `the log ${file} is damaged at its beginning: ${what}. ${advice}`, cause)
}

/** True if the file itself is damaged, and not locked or forbidden. */
export function isDamage(error: unknown): boolean {
  return DAMAGED.has(primaryOf(error)) || codeOf(error) === SECTOR_LOST
}

export function isBusy(error: unknown): boolean {
  return BUSY.has(primaryOf(error))
}

/** True if the file cannot be opened or created in this mode. */
export function isOutOfReach(error: unknown): boolean {
  return OUT_OF_REACH.has(primaryOf(error))
}

/** SQLite's primary result code, 0 when the error is not SQLite's. */
export function primaryOf(error: unknown): number {
  return codeOf(error) & 0xff
}

/** The same with its details in the higher bits. */
export function codeOf(error: unknown): number {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code : 0
}
