import { createHash } from 'node:crypto'
import { lstatSync, statSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { readText } from '../../base/regular-file.ts'
import { shelved, type Shelved } from '../../schedule/shelving.ts'
import { PathError } from '../../tool/files/path.ts'
import type { Workspace } from '../../tool/files/workspace.ts'

export interface ReadingParts {
  readonly workspace: Workspace
  readonly root: string
  readonly now: Clock
  /** A mistake is reported once it is this old: somebody may still be saving the file. */
  readonly brokenMs: number
}

/** A job file, as it was read last. */
export interface Entry {
  /** Null: it could not be read, so it is read again at every look. */
  readonly signature: string | null
  readonly hash: string
  readonly mtimeMs: number | undefined
  readonly shown: Shelved | undefined
  /** The hash of the text behind `shown`. */
  readonly shownHash: string | undefined
  /** A mistake that is not reported before `from`. */
  readonly wrong: { readonly found: Shelved; readonly from: number } | null
}

/** A file and its state on disk; undefined: the state cannot be read. */
export interface Changed {
  readonly file: string
  readonly stat: Stats | undefined
}

/** Undefined: it is not a file, or it is gone. */
export async function readEntry(
  parts: ReadingParts,
  { file, stat }: Changed,
  before: Entry | undefined,
): Promise<Entry | undefined> {
  if (stat?.isDirectory() === true) return undefined
  const at = parts.now()
  const text = await textOf(parts, file, stat)
  if (text === undefined) return undefined
  const hash = typeof text === 'string' ? hashOf(text) : text.problem.reason
  const isFresh = stat === undefined || typeof text !== 'string' || stat.ctimeMs > at - TICK_MS
  const signature = isFresh ? null : signatureOf(stat)
  const mtimeMs = stat?.mtimeMs
  // Saving the same mistake again does not postpone its report.
  if (before?.hash === hash && (before.wrong !== null || before.mtimeMs === mtimeMs))
    return { ...before, signature, mtimeMs }
  // A file that is copied or moved here may have an old modification time, from before it was a job.
  const changedAt = Math.min(Math.floor(Math.max(mtimeMs ?? at, stat?.ctimeMs ?? at)), at)
  const found = typeof text === 'string' ? await shelved({ file, text, changedAt }) : text
  const from = Math.min(Math.floor(mtimeMs ?? at), at) + parts.brokenMs
  const read = { signature, hash, mtimeMs }
  if (!('problem' in found) || from <= at) return { ...read, shown: found, shownHash: hash, wrong: null }
  return { ...read, shown: before?.shown, shownHash: before?.shownHash, wrong: { found, from } }
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** On a disk with a coarse clock two versions can have the same time, so a file this fresh is read again. */
const TICK_MS = 50

const BYTES_MAX = 256 * 1024

type Problem = Extract<Shelved, { readonly problem: unknown }>

async function textOf(
  { workspace, root }: ReadingParts,
  file: string,
  stat: Stats | undefined,
): Promise<string | Problem | undefined> {
  const wrong = (reason: string): Problem => ({ problem: { file, line: 1, reason } })
  if (stat !== undefined && stat.size > BYTES_MAX)
    return wrong(`it has ${stat.size} bytes; the maximum is ${BYTES_MAX}. Make the text shorter.`)
  try {
    // Ten times as fast as the workspace, which follows links and explains errors.
    const read = stat?.isFile() === true ? readText(join(root, file), { links: 'refuse' }) : undefined
    return read && 'text' in read ? read.text : await workspace.read(file)
  } catch (error) {
    if (error instanceof PathError) return wrong(error.message)
    throw error
  }
}

export function statOf(path: string): Stats | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found?.isSymbolicLink() === true ? statSync(path, { throwIfNoEntry: false }) : found
  } catch {
    return undefined
  }
}

export function signatureOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(' ')
}
