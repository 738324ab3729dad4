import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { messageOf } from './message-of.ts'

const BYTES_MAX = 256 * 1024

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/** The text of a file, or its problem: `is a pipe, not a file`. A `code` is that of a system error. */
export type ReadText = { readonly text: string } | { readonly problem: string; readonly code?: string }

/**
 * Reads a text file of bounded size. Anything may stand in its place: reading a pipe would wait for somebody who writes
 * to it, and a device such as /dev/zero has no end.
 */
export function readText(path: string, { bytesMax = BYTES_MAX, ...options }: ReadOptions = {}): ReadText {
  const read = readBytes(path, { ...options, bytesMax })
  return 'problem' in read ? read : decode(read.bytes)
}

interface ReadOptions {
  readonly links?: 'follow' | 'refuse'
  readonly bytesMax?: number
}

/** As `readText`, for a file of any content. */
export function readBytes(
  path: string,
  { links = 'follow', bytesMax }: ReadOptions & { readonly bytesMax: number },
): { readonly bytes: Buffer } | Exclude<ReadText, { text: string }> {
  try {
    const descriptor = openSync(path, O_RDONLY | O_NONBLOCK | (links === 'refuse' ? O_NOFOLLOW : 0))
    try {
      const problem = insteadOfFile(fstatSync(descriptor))
      if (problem !== undefined) return { problem }
      const bytes = readUpTo(descriptor, bytesMax + 1)
      if (bytes.length > bytesMax) return { problem: `is larger than ${Math.floor(bytesMax / 1024)} KiB` }
      return { bytes }
    } finally {
      closeSync(descriptor)
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ELOOP' && links === 'refuse') return { problem: 'is a symbolic link, not a file', code }
    // A socket cannot even be opened.
    if (code === 'ENXIO') return { problem: 'is a socket, not a file', code }
    return { problem: `cannot be read (${errorText(cause)})`, ...(code !== undefined && { code }) }
  }
}

/** What stands where a file is expected; undefined for a file, and where there is nothing. For files that SQLite opens. */
export function specialFile(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && insteadOfFile(found)
}

function insteadOfFile(found: Stats): string | undefined {
  if (found.isFile()) return undefined
  const kind = found.isDirectory()
    ? 'folder'
    : found.isFIFO()
      ? 'pipe'
      : found.isSocket()
        ? 'socket'
        : 'device'
  return `is a ${kind}, not a file`
}

/** `EACCES: permission denied`, without the path that Node adds. */
export function errorText(cause: unknown): string {
  const text = messageOf(cause)
  return text.split(', ')[0] ?? text
}

function decode(bytes: Buffer): ReadText {
  // Providers refuse it in a prompt, and with it every turn that has it.
  if (bytes.includes(0)) return { problem: 'is not text: it contains a NUL byte' }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { problem: 'is not UTF-8 text' }
  }
}

function readUpTo(descriptor: number, bytesMax: number): Buffer {
  const buffer = Buffer.alloc(Math.min(bytesMax, fstatSync(descriptor).size + 1))
  let length = 0
  for (let read = -1; read !== 0 && length < buffer.length; length += read)
    read = readSync(descriptor, buffer, { offset: length })
  return buffer.subarray(0, length)
}

const LINKS_MAX = 40

/**
 * Where a whole path leads with all links followed, also for what is not there yet: through the folders above it, and
 * through links that lead nowhere yet, for whoever writes through one of those makes what it names. Throws as realpath
 * does for anything but what is missing.
 */
export function realPath(path: string, links = 0): string {
  try {
    // As the system spells it: where case does not count, other spellings of one path would differ.
    return realpathSync.native(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || links > LINKS_MAX || dirname(path) === path) throw error
  }
  const folder = realPath(dirname(path), links)
  const here = join(folder, basename(path))
  const target = linkAt(here)
  if (target === undefined) return here
  // Not joined: that would take `x/..` away before anybody looked where x leads.
  return realPath(isAbsolute(target) ? target : `${folder}${sep}${target}`, links + 1)
}

/** Whether a whole path is a folder or in it. */
export function isWithin(folder: string, path: string): boolean {
  return isInside(relative(folder, path))
}

/** Whether a relative path stays inside its folder. */
export function isInside(way: string): boolean {
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EINVAL') return undefined
    throw error
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
