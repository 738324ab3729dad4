import { constants, existsSync, lstatSync, realpathSync } from 'node:fs'
import { lstat, mkdir, open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, PathError, quoted } from './path.ts'

/** An open folder that is certainly in the workspace, even if somebody puts a link in its place meanwhile. */
export interface Folder {
  /** A path for an entry; the caller must refuse links at its end. */
  at(name: string): string
  /** Rejects unless the open file is the one with this name here. */
  verify(file: FileHandle, name: string): Promise<void>
  /** Throws unless the folder is still where it was opened. */
  stay(): void
  /** Makes renames in it durable. */
  settle(): Promise<void>
  close(): Promise<void>
}

export interface FolderWish {
  /** A real path, without links. */
  readonly root: string
  /** Real names below the root, without links. */
  readonly parts: readonly string[]
  readonly missing: 'make' | 'leave'
}

/** Undefined: there is no such folder. */
export type OpenFolder = (wish: FolderWish) => Promise<Folder | undefined>

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
const DESCRIPTORS = '/proc/self/fd'

/**
 * Opens name by name, each within the folder that is already open and never through a link. Nobody can divert a path
 * that goes through a descriptor, so everything opened, made and renamed there is inside.
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
    stay: () => undefined,
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
    // A link where a folder should be: Linux reports ENOTDIR or ELOOP.
    if (code === 'ELOOP' || (code === 'ENOTDIR' && (await lstat(path)).isSymbolicLink())) throw moved()
    if (code !== 'ENOENT') throw error
  }
  if (missing === 'leave') return undefined
  await mkdir(path).catch(unlessThere)
  return open(path, flags)
}

/**
 * For systems without paths through descriptors. A file is verified before it is read or written, and links in the way
 * are found. It does not protect against somebody who swaps folders within microseconds.
 */
export const openByPath: OpenFolder = async ({ root, parts, missing }) => {
  let path = root
  for (const part of ['', ...parts]) {
    path = join(path, part)
    if (isAt(path)) continue
    if (existsSync(path)) throw moved()
    if (missing === 'leave') return undefined
    await mkdir(path).catch(unlessThere)
    if (!isAt(path)) throw moved()
  }
  return {
    at: (name) => join(path, name),
    verify: async (file, name) => {
      const held = await file.stat()
      // Checked before and after without a pause: a folder that comes and goes must not look as if it had stayed.
      const found = isAt(path) ? lstatSync(join(path, name), { throwIfNoEntry: false }) : undefined
      if (found === undefined || !isAt(path) || held.ino !== found.ino || held.dev !== found.dev)
        throw moved()
    },
    stay: () => {
      if (!isAt(path)) throw moved()
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

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error
}

/** Some file systems cannot sync a folder's names on request, and keep them anyway. */
function unlessUnknown(error: unknown): void {
  if (!['EINVAL', 'ENOSYS', 'ENOTSUP'].includes(codeOf(error) ?? '')) throw error
}

export function moved(place?: string): PathError {
  const what = place === undefined ? 'The path' : quoted(place)
  return new PathError(
    `${what} was changed by somebody else at this moment: there is a link now. Nothing was done; try again.`,
  )
}
