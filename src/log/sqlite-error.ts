import { LogError } from './log.ts'

const FULL = 13
const DAMAGED = new Set([11, 26])
const UNREADABLE = new Set([3, 8, 14, 23])
const BUSY = new Set([5, 6])

/** Turns what SQLite says into whose fault it is and what to do. */
export function toLogError(file: string, error: unknown): LogError {
  if (error instanceof LogError) return error
  const code = codeOf(error)
  const said = error instanceof Error ? error.message : String(error)
  if (code === FULL) {
    return new LogError(
      'full',
      `no room left to write to ${file}: nothing of this was written, nothing before it is lost. Free some space and try again`,
      error,
    )
  }
  if (DAMAGED.has(code)) return damaged(file, said, error)
  if (UNREADABLE.has(code)) return unreadable(file, said, error)
  if (BUSY.has(code))
    return new LogError(
      'in-use',
      `the log ${file} is locked by another program (${said}); close it and try again`,
      error,
    )
  return new LogError('failed', `the log ${file} could not be used: ${said}`, error)
}

export function damaged(file: string, what: string, cause?: unknown): LogError {
  const advice = `Nothing more is written to it. 'mainstem export' brings out every event that can be read, 'mainstem doctor' says more`
  return new LogError('damaged', `the log ${file} is damaged: ${what}. ${advice}`, cause)
}

export function unreadable(file: string, what: string, cause?: unknown): LogError {
  return new LogError(
    'unreadable',
    `the log ${file} cannot be opened: ${what}. Check that the directory exists and that you may read and write there`,
    cause,
  )
}

/** SQLite's primary result code, 0 when the error is not SQLite's. */
function codeOf(error: unknown): number {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code & 0xff : 0
}
