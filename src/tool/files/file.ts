import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { lstat, mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { newKey } from '../../base/random.ts'
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
export async function replaceText(folder: Folder, name: string, fresh: NewText): Promise<boolean> {
  const { place } = fresh
  const old = await kindOf(folder, name, place)
  if (old !== undefined && (old.mode & 0o222) === 0)
    throw new PathError(`${quoted(place)} is read-only. Ask the person, or choose another path.`)
  const path = folder.at(name)
  let isReplaced = false
  await finish(folder, { ...fresh, old }, async (put) => {
    const isDone = await replaceGuarded(path, () => {
      isReplaced = isUnchanged(old, lstatSync(path, { throwIfNoEntry: false }))
      if (isReplaced) put((written) => renameSync(written, path))
    })
    if (!isDone) throw undying(place)
  })
  return isReplaced
}

function isUnchanged(old: Stats | undefined, now: Stats | undefined): boolean {
  return old?.ino === now?.ino && old?.mtimeMs === now?.mtimeMs && old?.size === now?.size
}

/** Creates a file whole, never over an existing one, even in a race. False: something exists there. */
export async function createText(folder: Folder, name: string, fresh: NewText): Promise<boolean> {
  if ((await kindOf(folder, name, fresh.place)) !== undefined) return false
  let isMade = true
  await finish(folder, { ...fresh, old: undefined }, async (put) =>
    put((written) => {
      isMade = isLinked(written, folder.at(name))
    }),
  )
  return isMade
}

/** Unlike a rename, a link never replaces an existing file. */
function isLinked(written: string, path: string): boolean {
  try {
    linkSync(written, path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!NO_LINKS.has(codeOf(error) ?? '')) throw error
    renameSync(written, path)
  }
  return true
}

/** On file systems without hard links, a file created at the same moment goes unnoticed. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

type Fresh = NewText & { readonly old: Stats | undefined }
/** Gives the finished file its name. */
type Naming = (written: string) => void

/**
 * Writes the text where no program in a box sees it, and lets `use` put it in its place. Otherwise a program could put
 * its own file in the place of the unfinished one, or keep a link to it.
 */
async function finish(
  folder: Folder,
  fresh: Fresh,
  use: (put: (naming: Naming) => void) => Promise<void>,
): Promise<void> {
  const { stage } = fresh
  const staged = stage && (await writeStaged(folder, stage, fresh))
  try {
    await use((naming) => {
      folder.stay()
      try {
        if (staged !== undefined) return naming(staged)
      } catch (error) {
        if (codeOf(error) !== 'EXDEV') throw error
      }
      writeBeside(folder, fresh, naming)
    })
  } finally {
    if (staged !== undefined) await rm(staged, { force: true })
  }
  await folder.settle()
  // The text is written: leftovers that cannot be removed now are removed next time.
  for (const place of [folder.at('.'), ...(stage === undefined ? [] : [stage])])
    await sweep(place).catch(() => undefined)
}

/** Undefined: it could not be put in its place from there, on another disk, which may even be full. */
async function writeStaged(folder: Folder, stage: string, { text, old }: Fresh): Promise<string | undefined> {
  await mkdir(stage, { recursive: true, mode: 0o700 })
  if ((await stat(stage)).dev !== (await stat(folder.at('.'))).dev) return undefined
  const path = join(stage, unfinishedName())
  const file = await open(path, NEW_FILE, 0o600)
  try {
    likeBefore(file.fd, old, folder)
    await file.writeFile(text)
    await file.sync()
    return path
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** On another file system. Nothing else of this process runs between the first line and the last, and no program starts. */
function writeBeside(folder: Folder, { text, old, place }: Fresh, naming: Naming): void {
  const path = folder.at(unfinishedName())
  const descriptor = openSync(path, NEW_FILE, 0o600)
  try {
    likeBefore(descriptor, old, folder)
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
    folder.stay()
    const [made, now] = [fstatSync(descriptor), lstatSync(path)]
    if (made.ino !== now.ino || made.dev !== now.dev || made.nlink !== 1) throw moved(place)
    naming(path)
  } finally {
    closeSync(descriptor)
    rmSync(path, { force: true })
  }
}

/** Removes a file, or a link itself. False: there was none. */
export async function removeEntry(folder: Folder, name: string, place: string): Promise<boolean> {
  const found = await lstat(folder.at(name)).catch(unlessMissing)
  if (found === undefined) return false
  if (!found.isSymbolicLink()) refuseKind(found, place)
  const path = folder.at(name)
  const isGone = await replaceGuarded(path, () => unlinkSync(path)).catch(unlessMissing)
  if (isGone === false) throw undying(place)
  await folder.settle()
  return isGone ?? false
}

function undying(place: string): PathError {
  return new PathError(
    `${quoted(place)} is as it was: a program that could write there was killed and does not end. Try again, or restart the machine.`,
  )
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined
  throw error
}

export interface NewText {
  readonly place: string
  readonly text: string
  /** A folder of Mainstem's that no program sees, where the text is written first. */
  readonly stage?: string
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
const UNFINISHED = /^\.mainstem-(\d+)-[\w-]+\.unfinished$/
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW

/** An earlier process with the same number may have left some. */
function unfinishedName(): string {
  return `.mainstem-${process.pid}-${newKey()}.unfinished`
}

/** A new file gets the group of a folder that passes its own on. */
function likeBefore(descriptor: number, old: Stats | undefined, folder: Folder): void {
  const [made, above] = [fstatSync(descriptor), statSync(folder.at('.'))]
  const gid = old?.gid ?? ((above.mode & 0o2000) === 0 ? made.gid : above.gid)
  const isRoot = process.getuid?.() === 0
  // Otherwise root would leave behind a file that the person cannot change any more.
  const uid = isRoot && old !== undefined ? old.uid : made.uid
  let mode = old === undefined ? made.mode : old.mode
  if (uid !== made.uid || gid !== made.gid)
    try {
      fchownSync(descriptor, uid, gid)
    } catch (error) {
      if (isRoot) throw error
      // It would be open to another group than before.
      mode &= ~0o070
    }
  fchmodSync(descriptor, mode & 0o777)
}

/** Removes unfinished files of dead processes. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const owner = Number(UNFINISHED.exec(name)?.[1] ?? process.pid)
    if (owner !== process.pid && !isRunning(owner)) await rm(join(folder, name), { force: true })
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
