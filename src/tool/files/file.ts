import { constants, lstatSync, renameSync, unlinkSync, type Stats } from 'node:fs'
import { link, lstat, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises'
import { replaceGuarded } from '../process/watchdog.ts'
import { moved, type Folder } from './folder.ts'
import { codeOf, PathError, quoted } from './path.ts'

export const FILE_BYTES_MAX = 1024 * 1024

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/** Undefined: there is no such file. */
export async function readText(folder: Folder, name: string, place: string): Promise<string | undefined> {
  const bytes = await readFile(folder, name, { place, bytesMax: FILE_BYTES_MAX })
  return bytes && textIn(bytes, place)
}

interface Wanted {
  readonly place: string
  readonly bytesMax: number
}

/** As `readText`, for a file of any content. */
export async function readFile(
  folder: Folder,
  name: string,
  { place, bytesMax }: Wanted,
): Promise<Buffer | undefined> {
  if ((await kindOf(folder, name, place)) === undefined) return undefined
  // Without O_NONBLOCK, a pipe in the file's place would block until somebody writes to it.
  const file = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw codeOf(error) === 'ELOOP' ? moved(place) : error
  })
  if (file === undefined) return undefined
  try {
    refuseKind(await file.stat(), place)
    await folder.verify(file, name)
    return await readBytes(file, { place, bytesMax })
  } finally {
    await file.close()
  }
}

async function kindOf(folder: Folder, name: string, place: string): Promise<Stats | undefined> {
  const found = await lstat(folder.at(name)).catch(unlessMissing)
  if (found !== undefined) refuseKind(found, place)
  return found
}

function refuseKind(found: Stats, place: string): void {
  if (found.isSymbolicLink()) throw moved(place)
  if (found.isDirectory()) throw new PathError(`${quoted(place)} is a folder. Give the path of a file in it.`)
  if (!found.isFile())
    throw new PathError(`${quoted(place)} is a device or a pipe, not a file. Choose another path.`)
}

/** A file can grow while it is read, so its size alone is not reliable. */
async function readBytes(file: FileHandle, { place, bytesMax }: Wanted): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let length = 0; length <= bytesMax;) {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(CHUNK_BYTES) })
    if (bytesRead === 0) return Buffer.concat(chunks)
    chunks.push(buffer.subarray(0, bytesRead))
    length += bytesRead
  }
  throw new PathError(
    `${quoted(place)} is too large: at most ${bytesMax} bytes are read. Ask the person to split it.`,
  )
}

const CHUNK_BYTES = 64 * 1024
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textIn(bytes: Buffer, place: string): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new PathError(`${quoted(place)} is not UTF-8 text. Ask the person to convert it.`, { cause })
  }
}

/**
 * All or nothing: readers and crashes see either the old text or the new one. False: somebody changed the file while
 * programs with a guard of it ended.
 */
export async function replaceText(folder: Folder, name: string, { place, text }: NewText): Promise<boolean> {
  const old = await kindOf(folder, name, place)
  if (old !== undefined && (old.mode & 0o222) === 0)
    throw new PathError(`${quoted(place)} is read-only. Ask the person, or choose another path.`)
  const { file, unfinished } = await makeUnfinished(folder, old)
  const path = folder.at(name)
  let isReplaced = false
  await finish(folder, { file, unfinished, text }, async (written) => {
    await replaceGuarded(path, () => {
      isReplaced = isUnchanged(old, lstatSync(path, { throwIfNoEntry: false }))
      if (isReplaced) renameSync(written, path)
    })
    await rm(written, { force: true })
  })
  return isReplaced
}

function isUnchanged(old: Stats | undefined, now: Stats | undefined): boolean {
  return old?.ino === now?.ino && old?.mtimeMs === now?.mtimeMs && old?.size === now?.size
}

/** Creates a file whole, never over an existing one, even in a race. False: something exists there. */
export async function createText(folder: Folder, name: string, { place, text }: NewText): Promise<boolean> {
  if ((await kindOf(folder, name, place)) !== undefined) return false
  const { file, unfinished } = await makeUnfinished(folder, undefined)
  let isMade = true
  await finish(folder, { file, unfinished, text }, async (written) => {
    // Unlike a rename, a link never replaces an existing file.
    await link(written, folder.at(name)).catch(async (error: unknown) => {
      if (NO_LINKS.has(codeOf(error) ?? '')) return rename(written, folder.at(name))
      if (codeOf(error) !== 'EEXIST') throw error
      isMade = false
    })
    await rm(written, { force: true })
  })
  return isMade
}

/** On file systems without hard links, a file created at the same moment goes unnoticed. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

async function finish(
  folder: Folder,
  { file, unfinished, text }: { file: FileHandle; unfinished: string; text: string },
  put: (written: string) => Promise<void>,
): Promise<void> {
  const written = folder.at(unfinished)
  try {
    try {
      await folder.verify(file, unfinished)
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await put(written)
  } catch (error) {
    await rm(written, { force: true })
    throw error
  }
  await folder.settle()
  // The text is written: leftovers that cannot be removed now are removed next time.
  await sweep(folder).catch(() => undefined)
}

/** Removes a file, or a link itself. False: there was none. */
export async function removeEntry(folder: Folder, name: string, place: string): Promise<boolean> {
  const found = await lstat(folder.at(name)).catch(unlessMissing)
  if (found === undefined) return false
  if (!found.isSymbolicLink()) refuseKind(found, place)
  const path = folder.at(name)
  const isGone = await replaceGuarded(path, () => unlinkSync(path)).then(() => true, unlessMissing)
  await folder.settle()
  return isGone ?? false
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined
  throw error
}

export interface NewText {
  readonly place: string
  readonly text: string
}

export function refuseText({ place, text }: NewText): void {
  const bytes = Buffer.byteLength(text)
  if (bytes > FILE_BYTES_MAX)
    throw new PathError(
      `The text for ${quoted(place)} is too large: ${bytes} of at most ${FILE_BYTES_MAX} bytes. Split it.`,
    )
  if (!text.isWellFormed())
    throw new PathError(`The text for ${quoted(place)} contains half a character. Write it again.`)
}

/** Hidden, so that no tool lists or reads it. */
const UNFINISHED = /^\.mainstem-(\d+)-\d+\.unfinished$/
let made = 0

async function makeUnfinished(
  folder: Folder,
  old: Stats | undefined,
): Promise<{ file: FileHandle; unfinished: string }> {
  for (;;) {
    const unfinished = `.mainstem-${process.pid}-${made++}.unfinished`
    const mode = old === undefined ? 0o666 : 0o600
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    const file = await open(folder.at(unfinished), flags, mode).catch((error: unknown) => {
      // Left by an earlier process with the same number.
      if (codeOf(error) === 'EEXIST') return undefined
      throw error
    })
    if (file === undefined) continue
    try {
      await likeBefore(file, old)
      return { file, unfinished }
    } catch (error) {
      await file.close()
      await rm(folder.at(unfinished), { force: true })
      throw error
    }
  }
}

async function likeBefore(file: FileHandle, old: Stats | undefined): Promise<void> {
  if (old === undefined) return
  // Otherwise root would leave behind a file that the person cannot change any more.
  if (process.getuid?.() === 0) await file.chown(old.uid, old.gid)
  await file.chmod(old.mode & 0o777)
}

/** Removes unfinished files of dead processes. */
async function sweep(folder: Folder): Promise<void> {
  for (const name of await readdir(folder.at('.'))) {
    const owner = Number(UNFINISHED.exec(name)?.[1] ?? process.pid)
    if (owner !== process.pid && !isRunning(owner)) await rm(folder.at(name), { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}
