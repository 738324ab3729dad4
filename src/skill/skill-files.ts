import { orElse } from '../base/message-of.ts'
import { type Dirent, opendirSync, realpathSync, statSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { errorText } from '../base/regular-file.ts'

const ENDINGS: ReadonlySet<string> = new Set(['.md', '.txt', '.json', '.csv', '.yaml', '.yml'])
const DEPTH_MAX = 3
const FILES_MAX = 200
const ENTRIES_MAX = 5_000

/** Not text for a model, or read in another way. */
const LEFT_OUT = /^(?:SKILL\.md|tools\.json|scripts|licen[cs]e(?:\.\w+)?)$|(?:^|\/)node_modules$/i

/** Text files beside SKILL.md, as sorted paths in its folder with `/`. */
export function listSkillFiles(directory: string) {
  const files: string[] = []
  const warnings: string[] = []
  let entriesLeft = ENTRIES_MAX
  const look = (folder: string, depth: number): void => {
    for (const entry of entriesOf(join(directory, folder), warnings)) {
      if (files.length > FILES_MAX || --entriesLeft < 0) return
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name.startsWith('.') || LEFT_OUT.test(path)) continue
      if (entry.isDirectory() && depth < DEPTH_MAX) look(path, depth + 1)
      else if (ENDINGS.has(extname(path).toLowerCase()) && isFileIn(directory, path, entry)) files.push(path)
    }
  }
  look('', 1)
  if (files.length > FILES_MAX)
    warnings.push(`Only the first ${FILES_MAX} of its texts can be read: put fewer beside SKILL.md.`)
  else if (entriesLeft < 0)
    warnings.push(`Only the first ${ENTRIES_MAX} of its files were looked at: put fewer beside SKILL.md.`)
  return { files: files.slice(0, FILES_MAX), warnings }
}

/** The absolute path of a file in a skill's folder, links resolved; undefined if it is missing or lies outside. */
export function insideOf(directory: string, path: string): string | undefined {
  return orElse(undefined, () => {
    const real = realpathSync(join(directory, path))
    return real.startsWith(directory.endsWith(sep) ? directory : directory + sep) ? real : undefined
  })
}

/** The target of a path; undefined for nothing, for links in a circle, and for pipes and the like. */
export function kindOf(path: string): 'file' | 'folder' | undefined {
  return orElse(undefined, () => {
    const stats = statSync(path)
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : undefined
  })
}

/** An order that is the same on every machine. */
export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** In path order, so that the limit keeps the same files on every machine. */
function entriesOf(folder: string, warnings: string[]): Dirent[] {
  try {
    const entries = readSome(folder)
    if (entries.length <= ENTRIES_MAX) return entries.toSorted((a, b) => byCodeUnits(sortKey(a), sortKey(b)))
    warnings.push(`${folder} holds more than ${ENTRIES_MAX} files, so nothing in it can be read.`)
  } catch (cause) {
    warnings.push(`${folder} cannot be listed (${errorText(cause)}), so nothing in it can be read.`)
  }
  return []
}

function readSome(folder: string): Dirent[] {
  const opened = opendirSync(folder)
  try {
    const entries: Dirent[] = []
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      entries.push(entry)
      if (entries.length > ENTRIES_MAX) break
    }
    return entries
  } finally {
    opened.closeSync()
  }
}

function sortKey(entry: Dirent): string {
  return entry.isDirectory() ? `${entry.name}/` : entry.name
}

function isFileIn(directory: string, path: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isFile()
  const real = insideOf(directory, path)
  return real !== undefined && kindOf(real) === 'file'
}
