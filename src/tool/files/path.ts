import { isAbsolute, posix, relative, sep } from 'node:path'
import type { JsonObject } from '../../base/json.ts'
import { isInside } from '../../base/regular-file.ts'
import { failed, type ToolResult } from '../tool.ts'

/** A path or a file that cannot be used. The message says what was found, what was expected and what to do. */
export class PathError extends Error {
  override readonly name = 'PathError'
}

/** For a `catch`: what cannot be read counts as missing. */
export function ifPathError(error: unknown): undefined {
  if (!(error instanceof PathError)) throw error
  return undefined
}

/** Reports a problem with a path or a file to the model, which can go on from there. */
export async function unlessPathError(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PathError) return failed(error.message)
    throw error
  }
}

/** The text of a refusal, or undefined if the work succeeded. */
export function problemOf(work: () => void): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof PathError) return error.message
    throw error
  }
}

export function textIn(args: JsonObject, name: string): string {
  const value = args[name]
  return typeof value === 'string' ? value : ''
}

export const PATH_PARTS_MAX = 32
const PATH_CHARS_MAX = 1_000
const NAME_BYTES_MAX = 255
const QUOTED_MAX = 80
const EXPECTED = 'Give the path of a Markdown file in the workspace, such as notes/ideas.md.'

/** The plain form of a path, whatever exists there: `./notes//a.md` is `notes/a.md`. */
export function placeOf(path: string, roots: readonly string[]): string {
  const place = folderPlaceOf(path, roots)
  if (/\/\.?$/.test(path)) throw new PathError(`${quoted(path)} names a folder. ${EXPECTED}`)
  if (!isMarkdown(place)) throw new PathError(`${quoted(path)} does not end in .md. ${EXPECTED}`)
  return place
}

/** As `placeOf`, for anything in the workspace; the workspace itself is ''. `roots` are names of its own folder. */
export function folderPlaceOf(path: string, roots: readonly string[]): string {
  if (path === '') throw new PathError(`The path is empty. ${EXPECTED}`)
  if (path.length > PATH_CHARS_MAX)
    throw new PathError(
      `${quoted(path)} is too long: ${path.length} of at most ${PATH_CHARS_MAX} characters. Choose shorter names.`,
    )
  if (!isPlain(path))
    throw new PathError(
      `${quoted(path)} has a character that no name here may have, such as a line end. ${EXPECTED}`,
    )
  const written = sep === '\\' ? path.replaceAll('\\', '/') : path
  if (written.includes('\\'))
    throw new PathError(`${quoted(path)} has a backslash. Write / between folders and names.`)
  const parts = posix.normalize(isAbsolute(path) ? withoutRoot(path, roots) : written).split('/')
  const named = parts.filter((part) => part !== '' && part !== '.')
  const [first] = named
  if (first === '..' || first === '~')
    throw new PathError(`${quoted(path)} lies outside of the workspace. ${EXPECTED}`)
  refuseNames(path, named)
  return named.join('/')
}

function withoutRoot(path: string, roots: readonly string[]): string {
  const inside = roots.map((root) => relative(root, path)).find((rest) => isInside(rest))
  if (inside === undefined) throw new PathError(`${quoted(path)} lies outside of the workspace. ${EXPECTED}`)
  return inside.replaceAll(sep, '/')
}

function refuseNames(path: string, names: readonly string[]): void {
  const hidden = names.find(isHidden)
  if (hidden !== undefined)
    throw new PathError(
      `${quoted(path)} is out of reach: names that begin with a dot are hidden. ${EXPECTED}`,
    )
  if (names.length > PATH_PARTS_MAX)
    throw new PathError(
      `${quoted(path)} is too deep: ${names.length} of at most ${PATH_PARTS_MAX} names. Use fewer folders.`,
    )
  const long = names.find((name) => Buffer.byteLength(name) > NAME_BYTES_MAX)
  if (long !== undefined)
    throw new PathError(
      `${quoted(long)} is too long for a name: at most ${NAME_BYTES_MAX} bytes. Choose a shorter one.`,
    )
  const strange = names.find((name) => sep === '\\' && STRANGE_ON_WINDOWS.test(name))
  if (strange !== undefined)
    throw new PathError(`${quoted(strange)} is not a valid name on this system. Choose a simpler one.`)
}

/** Windows gives these a special meaning: a file's stream, a device, the name without its end. */
const STRANGE_ON_WINDOWS = /[<>:"|?*]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

export function isMarkdown(place: string): boolean {
  return /[^/]\.md$/i.test(place)
}

export function isHidden(name: string): boolean {
  return name.startsWith('.')
}

/** Half of a surrogate pair has no bytes: the file's name would differ from the path. */
export function isPlain(name: string): boolean {
  return name.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(name)
}

export function quoted(text: string): string {
  const short = text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text
  return `'${short.toWellFormed().replaceAll(/\p{Cc}/gu, '?')}'`
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'this program has no permission; the person must change that',
  EPERM: 'this program has no permission; the person must change that',
  EROFS: 'the disk is read-only; the person has to change that',
  ENOSPC: 'the disk is full; the person has to make room',
  EDQUOT: 'the disk is full; the person has to make room',
  ENOTDIR: 'a part of the path is a file, not a folder; choose another path',
  EISDIR: 'it is a folder; choose another path',
  ELOOP: 'its links lead in a circle; choose another path',
  ENAMETOOLONG: 'the path is too long for this system; choose shorter names',
}

/** Explains a system error to the one that gave the path. */
export function pathFailure(place: string, cause: unknown): PathError {
  if (cause instanceof PathError) return cause
  const code = codeOf(cause) ?? 'unknown error'
  const why = WHY[code] ?? 'the system refused it'
  return new PathError(`${quoted(place)} cannot be used: ${why} (${code}).`, { cause })
}

export function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
