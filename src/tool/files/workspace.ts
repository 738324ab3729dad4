import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { realPath } from '../../base/real-path.ts'
import { createText, FILE_BYTES_MAX, readText, refuseText, removeEntry, replaceText } from './file.ts'
import { openFolderSafely, type Folder, type OpenFolder } from './folder.ts'
import { listFiles, type Listing } from './listing.ts'
import {
  codeOf,
  folderPlaceOf,
  isInside,
  isMarkdown,
  pathFailure,
  PathError,
  placeOf,
  quoted,
} from './path.ts'

/**
 * The Markdown files of one folder: hidden ones, others and whatever lies outside do not exist for it. Every method
 * that takes a path fails with a PathError for one that it refuses.
 */
export interface Workspace {
  /** The normal path from the workspace, with forward slashes. Looks at no disk. */
  place(path: string): string
  /** As `place`, for a folder; '' is the workspace. */
  folderPlace(path: string): string
  /** Where that really is, all links followed: the place of the file that would be read or written. */
  realPlace(path: string): string
  /** What stands there, only to show it: nothing is done by it, and what cannot be read is not there. */
  glance(path: string): string | undefined
  /** Undefined: there is no such file. */
  read(path: string): Promise<string | undefined>
  /** Makes the folders that are missing. */
  write(path: string, text: string): Promise<void>
  /** Reads, decides and writes without any other write in between; a new file never takes the place of another's. */
  change(path: string, decide: Decide): Promise<void>
  /** Takes it away if it is what is `expected`; of a link only the link. False: there was none, or it is another. */
  remove(path: string, expected?: (text: string | undefined) => boolean): Promise<boolean>
  list(): Promise<Listing>
}

/** Gives the new text, or undefined: nothing is written. */
export type Decide = (file: {
  readonly place: string
  readonly before: string | undefined
}) => Promise<string | undefined>

export function openWorkspace(folder: string, openFolder: OpenFolder = openFolderSafely): Workspace {
  const given = resolve(folder)
  const place = (path: string) => placeOf(path, rootsOf(path, given))
  const realPlace = (path: string) => {
    const real = realPlaceOf(realRoot(given), place(path))
    if (isMarkdown(real)) return real
    throw new PathError(`${quoted(path)} is a link to ${quoted(real)}, which is no Markdown file. ${INSTEAD}`)
  }
  const spot = async <T>(real: string, { missing, use }: Use<T>): Promise<T | undefined> => {
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
  const readAt = (real: string) =>
    spot(real, { missing: 'leave', use: (folder, name) => readText(folder, name, real) })
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
        const fresh = { place: real, text }
        refuseText(fresh)
        // What another process has made meanwhile is not lost: it is decided again, with that.
        const put = before === undefined ? createText : replaceText
        const use = (folder: Folder, name: string): Promise<boolean> => put(folder, name, fresh)
        isDone = (await spot(real, { missing: 'make', use })) ?? true
      }
    })
  const remove: Workspace['remove'] = (path, expected) =>
    inTurn(async () => {
      const asked = place(path)
      const end = asked.lastIndexOf('/')
      const above = end < 0 ? '' : realPlaceOf(realRoot(given), asked.slice(0, end))
      const entry = [above, asked.slice(end + 1)].filter((part) => part !== '').join('/')
      // Read right before it: in between only another process can change it.
      const use = async (folder: Folder, name: string): Promise<boolean> =>
        (expected === undefined || expected(await readAt(realPlace(path)))) &&
        removeEntry(folder, name, entry)
      return (await spot(entry, { missing: 'leave', use })) ?? false
    })
  return {
    place,
    folderPlace: (path) => folderPlaceOf(path, rootsOf(path, given)),
    realPlace,
    glance: (path) => glanceAt(join(realRoot(given), realPlace(path))),
    read: async (path) => readAt(realPlace(path)),
    write: (path, text) => change(path, async () => text),
    change,
    remove,
    list: async () => {
      const root = realRoot(given)
      return listFiles({ root, openFolder, realOf: (path) => realPlaceOf(root, path) })
    },
  }
}

function glanceAt(file: string): string | undefined {
  try {
    const stat = lstatSync(file)
    return stat.isFile() && stat.size <= FILE_BYTES_MAX ? readFileSync(file, 'utf8') : undefined
  } catch {
    return undefined
  }
}

interface Use<T> {
  readonly missing: 'make' | 'leave'
  readonly use: (folder: Folder, name: string) => Promise<T>
}

/** Asked anew each time: the person may have moved the folder and put another in its place. */
function realRoot(given: string): string {
  try {
    return realpathSync.native(given)
  } catch (cause) {
    throw new PathError(
      `The workspace ${given} is not there (${codeOf(cause)}). Ask the person to make it.`,
      {
        cause,
      },
    )
  }
}

function rootsOf(path: string, given: string): readonly string[] {
  return /^[/\\]|^\w:/.test(path) ? [given, realRoot(given)] : [given]
}

/** The real place of whatever is or would be at a place; it may be a folder. */
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
