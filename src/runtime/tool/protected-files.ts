import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'
import { realPath } from '../../base/regular-file.ts'
import { folded } from '../../tool/files/protection.ts'
import { PROTECTED } from '../home/home-boxes.ts'

/**
 * Whether a file of the workspace defines the agent, its memory, skills or jobs, which only a person may change (SAFE4).
 * Compares real paths: a link from outside the workspace, or from a hidden folder, can make a plain note a skill or a
 * job. A SKILL.md is protected everywhere: its folder may be configured as a skill folder later.
 */
export function isProtectedIn(
  root: string,
  skillDirectories: () => readonly string[],
): (place: string) => boolean {
  const names = new Set(PROTECTED.map(folded))
  return (place) => {
    const [top = ''] = folded(place).split('/')
    if (names.has(folded(place)) || names.has(top) || basename(folded(place)) === 'skill.md') return true
    const path = folded(join(realOf(root), place))
    const held = [...PROTECTED.map((name) => realOf(join(root, name))), ...skillPlaces(skillDirectories())]
    return held.map(folded).some((real) => `${path}${sep}`.startsWith(real.endsWith(sep) ? real : real + sep))
  }
}

/** Entries read per directory, besides those that make a folder a skill. */
const ENTRIES_MAX = 2_000
/** The directory, the skill, and two folders in it. */
const DEPTH_MAX = 4

/**
 * The real places of all files of the skills in these directories, loaded or not, and of everything below them. Read
 * anew each time: links may have changed.
 */
function skillPlaces(directories: readonly string[]): readonly string[] {
  const places = new Set<string>()
  for (const directory of directories) {
    const real = realOf(directory)
    places.add(real)
    // First and without a limit: files that a skill reads through links.
    for (const entry of entriesOf(real)) {
      const skill = placeOf(real, entry)
      places.add(skill)
      const parts = ['SKILL.md', 'tools.json', 'scripts'].map((part) => join(skill, part))
      for (const part of parts) if (isLink(part)) places.add(realOf(part))
    }
    addLinked(real, places)
  }
  return [...places]
}

/** Other places behind links, upper folders first. */
function addLinked(directory: string, places: Set<string>): void {
  const waiting = [{ folder: directory, depth: 1 }]
  const seen = new Set<string>()
  let looked = 0
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { folder, depth } = next
    if (seen.has(folder)) continue
    seen.add(folder)
    for (const entry of entriesOf(folder)) {
      if (++looked > ENTRIES_MAX) return
      const place = placeOf(folder, entry)
      if (entry.isSymbolicLink()) places.add(place)
      const mayHoldMore = entry.isSymbolicLink() || (entry.isDirectory() && entry.name !== 'node_modules')
      if (mayHoldMore && depth < DEPTH_MAX) waiting.push({ folder: place, depth: depth + 1 })
    }
  }
}

/** The real place of an entry; the folder's own path is real already. */
function placeOf(folder: string, entry: Dirent): string {
  const path = join(folder, entry.name)
  return entry.isSymbolicLink() ? realOf(path) : path
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  } catch {
    // Its parent is not a folder, or cannot be read.
    return false
  }
}

/** Hidden files and folders are never part of a skill. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))
  } catch {
    // Not a folder, or unreadable: it has no skills.
    return []
  }
}

/** Links that cannot be followed, such as circles, stay as they are. */
function realOf(path: string): string {
  try {
    return realPath(resolve(path))
  } catch {
    return resolve(path)
  }
}
