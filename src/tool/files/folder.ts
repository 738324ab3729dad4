import { constants, existsSync, lstatSync, realpathSync } from 'node:fs'
import { lstat, mkdir, open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, PathError, quoted } from './path.ts'

/** An open folder that is certainly in the workspace, whatever links others put in its place meanwhile. */
export interface Folder {
  /** A path for something in it; links at its end are the caller's to refuse. */
  at(name: string): string
  /** Rejects unless the open file is the one with this name here. */
  verify(file: FileHandle, name: string): Promise<void>
  /** What was renamed in it stays so. */
  settle(): Promise<void>
  close(): Promise<void>
}

export interface FolderWish {
  /** A real path, without links. */
  readonly root: string
  /** Real names from there on, without links. */
  readonly parts: readonly string[]
  readonly missing: 'make' | 'leave'
}

/** Undefined: there is no such folder. */
export type OpenFolder = (wish: FolderWish) => Promise<Folder | undefined>

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
const DESCRIPTORS = '/proc/self/fd'

/**
 * Name by name, each one in the folder that is already open and never through a link. A path that goes through a
 * descriptor cannot be turned aside by anybody, so what is opened, made and renamed there is inside.
 */
export const openByDescriptor: OpenFolder = async ({ root, parts, missing }) => {
  let here = await open(root, O_RDONLY | O_DIRECTORY)
  try {
    for (const part of parts) {
      const next = await openPart(`${DESCRIPTORS}/${here.fd}/${part}`, missing)
      await here.close()
      if (next === undefined) return undefined
      here = next
    }
  } catch (error) {
    await here.close()
    throw error
  }
  return {
    at: (name) => `${DESCRIPTORS}/${here.fd}/${name}`,
    verify: async () => undefined,
    settle: () => here.sync().catch(unlessUnknown),
    close: () => here.close(),
  }
}

async function openPart(path: string, missing: FolderWish['missing']): Promise<FileHandle | undefined> {
  const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
  try {
    return await open(path, flags)
  } catch (error) {
    const code = codeOf(error)
    // A link here with a real file name before it: Linux says ENOTDIR or ELOOP, as it likes.
    if (code === 'ELOOP' || (code === 'ENOTDIR' && (await lstat(path)).isSymbolicLink())) throw moved()
    if (code !== 'ENOENT') throw error
  }
  if (missing === 'leave') return undefined
  await mkdir(path).catch(unlessThere)
  return open(path, flags)
}

/**
 * For systems without paths through descriptors. A file is verified before it is read or written, and a link that
 * stands in the way is found. Whoever swaps folders at the right microseconds, as no person does, is not kept out.
 */
export const openByPath: OpenFolder = async ({ root, parts, missing }) => {
  let path = root
  for (const part of ['', ...parts]) {
    path = join(path, part)
    if (isAt(path)) continue
    if (missing === 'leave' || existsSync(path)) return gone(path)
    await mkdir(path).catch(unlessThere)
    if (!isAt(path)) throw moved()
  }
  return {
    at: (name) => join(path, name),
    verify: async (file, name) => {
      const held = await file.stat()
      // On both sides and without a pause: a folder that comes and goes should not look as if it had stayed.
      const found = isAt(path) ? lstatSync(join(path, name), { throwIfNoEntry: false }) : undefined
      if (found === undefined || !isAt(path) || held.ino !== found.ino || held.dev !== found.dev)
        throw moved()
    },
    settle: async () => undefined,
    close: async () => undefined,
  }
}

export const openFolderSafely: OpenFolder =
  process.platform === 'linux' && existsSync(DESCRIPTORS) ? openByDescriptor : openByPath

function isAt(path: string): boolean {
  try {
    return realpathSync.native(path) === path
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

function gone(path: string): undefined {
  if (existsSync(path)) throw moved()
  return undefined
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error
}

/** Some file systems cannot be told to keep a folder's names, and keep them anyway. */
function unlessUnknown(error: unknown): void {
  if (!['EINVAL', 'ENOSYS', 'ENOTSUP'].includes(codeOf(error) ?? '')) throw error
}

export function moved(place?: string): PathError {
  const what = place === undefined ? 'The path' : quoted(place)
  return new PathError(
    `${what} was changed by somebody else at this moment: a link stands where none did. Nothing was done; try again.`,
  )
}
