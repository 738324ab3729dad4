import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { realPath } from '../../base/real-path.ts'

/** So many entries of one directory are looked at, beside those that make a skill of a folder. */
const ENTRIES_MAX = 2_000
/** The directory, the skill, and two folders in it. */
const DEPTH_MAX = 4

/**
 * The real places of all that skills in these directories are made of, whether they are loaded or not. What lies in one
 * of these places belongs to it. Looked for anew each time: anybody may have set a link meanwhile.
 */
export function skillPlaces(directories: readonly string[]): readonly string[] {
  const places = new Set<string>()
  for (const directory of directories) {
    const real = followed(resolve(directory))
    places.add(real)
    // First and without a bound: what is read of a skill through links that lead out of it.
    for (const entry of entriesOf(real)) {
      const skill = placeOf(real, entry)
      places.add(skill)
      const parts = ['SKILL.md', 'tools.json', 'scripts'].map((part) => join(skill, part))
      for (const part of parts) if (isLink(part)) places.add(followed(part))
    }
    addLinked(real, places)
  }
  return [...places]
}

/** What else there is behind links, those of the upper folders first. */
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

/** The real place of something in a folder that is no link and lies behind none. */
function placeOf(folder: string, entry: Dirent): string {
  const path = join(folder, entry.name)
  return entry.isSymbolicLink() ? followed(path) : path
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  } catch {
    // What it would lie in is no folder, or may not be looked into.
    return false
  }
}

/** Nothing hidden is ever read of a skill, nor is such a folder taken for one. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))
  } catch {
    // No folder, or none that may be read: then there is no skill in it.
    return []
  }
}

/** What cannot be followed, such as a circle, leads nowhere else. */
function followed(path: string): string {
  try {
    return realPath(path)
  } catch {
    return path
  }
}
