import { messageOf } from '../../base/message-of.ts'
import { codeOf, isBusy, isDamage, primaryOf } from '../../log/sqlite-error.ts'

/** The index file cannot be used. An index in memory can take its place. */
export class IndexError extends Error {
  override readonly name = 'IndexError'
  readonly code: IndexErrorCode
  constructor(code: IndexErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

export type IndexErrorCode = 'unwritable' | 'busy' | 'full' | 'failed' | 'closed'

const FULL = 13
/** SQLite's codes for a truncated file and for impossible rows. */
const CUT_OFF = 522
const IMPOSSIBLE = new Set([19, 20])
const NO_SUCH_TABLE = 1
const UNWRITABLE = new Set([3, 8, 14, 23])

export function toIndexError(file: string, error: unknown): IndexError {
  if (error instanceof IndexError) return error
  const said = messageOf(error)
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  const primary = primaryOf(error)
  if (primary === FULL || code === 'ENOSPC') {
    return new IndexError(
      'full',
      `the disk is full, so the search index ${file} cannot grow. Free some space`,
      error,
    )
  }
  if (isBusy(error)) {
    return new IndexError('busy', `another program is writing to the search index ${file}. Try again`, error)
  }
  if (UNWRITABLE.has(primary) || syscall !== undefined) {
    const advice = 'Check that the directory exists and that you can write to it'
    return new IndexError('unwritable', `could not write the search index ${file}: ${said}. ${advice}`, error)
  }
  return new IndexError('failed', `could not use the search index ${file}: ${said}`, error)
}

/** The file has content that no index of ours can have. */
export class DamageError extends Error {}

/** Whether the index is damaged and has to be rebuilt. */
export function isLost(error: unknown): boolean {
  if (error instanceof DamageError || isDamage(error)) return true
  return codeOf(error) === CUT_OFF || IMPOSSIBLE.has(primaryOf(error))
}

/** Whether another version of the program replaced the tables. */
export function isTakenOver(error: unknown): boolean {
  return primaryOf(error) === NO_SUCH_TABLE
}
