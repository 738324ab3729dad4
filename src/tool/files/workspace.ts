import { realpathSync } from 'node:fs'
import { isInside, readText as readFile, realPath } from '../../base/regular-file.ts'
import { join, relative, resolve, sep } from 'node:path'
import {
  createText,
  FILE_BYTES_MAX,
  readFile as readFileIn,
  readText,
  refuseText,
  removeEntry,
  replaceText,
} from './file.ts'
import { openFolderSafely, type Folder, type OpenFolder } from './folder.ts'
import { listFiles, type Listing } from './listing.ts'
import { codeOf, folderPlaceOf, isMarkdown, pathFailure, PathError, placeOf, quoted } from './path.ts'

/**
 * The Markdown files of one folder. Hidden files, other files and everything outside do not exist for it. Every method
 * that takes a path fails with a PathError for one that it refuses.
 */
export interface Workspace {
  /** The normal path within the workspace, with forward slashes. Does not touch the disk. */
  place(path: string): string
  /** As `place`, for a folder; '' is the workspace. */
  folderPlace(path: string): string
  /** The real place, all links followed: the file that would be read or written. */
  realPlace(path: string): string
  /** The current text, only to show it: changes nothing, and an unreadable file counts as missing. */
  glance(path: string): string | undefined
  /** Undefined: there is no such file. */
  read(path: string): Promise<string | undefined>
  /** A file of any kind; undefined: there is none. */
  readAny(path: string, bytesMax: number): Promise<Buffer | undefined>
  /** Creates missing folders. */
  write(path: string, text: string): Promise<void>
  /** Reads, decides and writes without any other write in between; a new file never replaces somebody else's. */
  change(path: string, decide: Decide): Promise<void>
  /** Removes the file if it is as `expected`; of a link only the link. False: it was missing or different. */
  remove(path: string, expected?: (text: string | undefined) => boolean): Promise<boolean>
  list(): Promise<Listing>
}

/** Returns the new text, or undefined to write nothing. */
export type Decide = (file: {
  readonly place: string
  readonly before: string | undefined
}) => Promise<string | undefined>

/** New text is written in `stage` first, if that is given: a folder on the same disk that no program sees. */
export function openWorkspace(folder: string, openFolder = openFolderSafely, stage?: string): Workspace {
  const given = resolve(folder)
  const place = (path: string) => placeOf(path, rootsOf(path, given))
  const realPlace = (path: string) => {
    const real = realPlaceOf(realRoot(given), place(path))
    if (isMarkdown(real)) return real
    throw new PathError(`${quoted(path)} links to ${quoted(real)}, which is not a Markdown file. ${INSTEAD}`)
  }
  const spot = async <T>(real: string, missing: 'make' | 'leave', use: Use<T>): Promise<T | undefined> => {
    const parts = real.split('/')
    const name = parts.pop() ?? ''
    try {
      const opened = await openFolder({ root: realRoot(given), parts, missing })
      if (opened === undefined) return undefined
      return await use(opened, name).finally(() => opened.close())
    } catch (error) {
      throw pathFailure(real, error)
    }
  }
  const readAt = (real: string) => spot(real, 'leave', (folder, name) => readText(folder, name, real))
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  const change = (path: string, decide: Decide): Promise<void> =>
    inTurn(async () => {
      const real = realPlace(path)
      for (let isDone = false; !isDone;) {
        const before = await readAt(real)
        const text = await decide({ place: real, before })
        if (text === undefined) return
        const fresh = { place: real, text, ...(stage !== undefined && { stage }) }
        refuseText(fresh)
        // If another process created the file meanwhile, that is not lost: it decides again.
        const put = before === undefined ? createText : replaceText
        isDone = (await spot(real, 'make', (folder, name) => put(folder, name, fresh))) ?? true
      }
    })
  const remove: Workspace['remove'] = (path, expected) =>
    inTurn(async () => {
      const asked = place(path)
      const end = asked.lastIndexOf('/')
      const above = end < 0 ? '' : realPlaceOf(realRoot(given), asked.slice(0, end))
      const entry = [above, asked.slice(end + 1)].filter((part) => part !== '').join('/')
      // Read right before: only another process could change it in between.
      const isGone = await spot(entry, 'leave', async (folder, name) => {
        const isExpected = expected === undefined || expected(await readAt(realPlace(path)))
        return isExpected && removeEntry(folder, name, entry)
      })
      return isGone ?? false
    })
  return {
    place,
    folderPlace: (path) => folderPlaceOf(path, rootsOf(path, given)),
    realPlace,
    glance: (path) => glanceAt(join(realRoot(given), realPlace(path))),
    read: async (path) => readAt(realPlace(path)),
    readAny: async (path, bytesMax) => {
      const real = realPlaceOf(realRoot(given), folderPlaceOf(path, rootsOf(path, given)))
      return spot(real, 'leave', (folder, name) => readFileIn(folder, name, { place: real, bytesMax }))
    },
    write: (path, text) => change(path, async () => text),
    change,
    remove,
    list: async () => listIn(realRoot(given), openFolder),
  }
}

function listIn(root: string, openFolder: OpenFolder): Promise<Listing> {
  return listFiles({ root, openFolder, realOf: (path) => realPlaceOf(root, path) })
}

type Use<T> = (folder: Folder, name: string) => Promise<T>

function glanceAt(file: string): string | undefined {
  const read = readFile(file, { links: 'refuse', bytesMax: FILE_BYTES_MAX })
  return 'text' in read ? read.text : undefined
}

/** Resolved each time: the person may have moved the folder and put another in its place. */
function realRoot(given: string): string {
  try {
    return realpathSync.native(given)
  } catch (cause) {
    const problem = `The workspace ${given} is not there (${codeOf(cause)})`
    throw new PathError(`${problem}. Ask the person to make it.`, { cause })
  }
}

function rootsOf(path: string, given: string): readonly string[] {
  return /^[/\\]|^\w:/.test(path) ? [given, realRoot(given)] : [given]
}

/** The real place of whatever is or would be there; it may be a folder. */
function realPlaceOf(root: string, place: string): string {
  try {
    const way = relative(root, realPath(join(root, place)))
    if (!isInside(way))
      throw new PathError(`${quoted(place)} leads out of the workspace through a link. ${INSTEAD}`)
    const real = way.replaceAll(sep, '/')
    return real === place || real === '' ? real : folderPlaceOf(real, [])
  } catch (error) {
    throw pathFailure(place, error)
  }
}

const INSTEAD = 'Give a path without that link.'
