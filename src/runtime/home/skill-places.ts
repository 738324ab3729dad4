import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { orElse } from '../../base/message-of.ts'
import { realPath } from '../../base/regular-file.ts'
import type { ShippedSkill } from '../../view/skills-text.ts'
import type { Config } from '../../config/table/settings.ts'

export function homeSkills(home: string): string {
  return join(home, 'skills')
}

/** The directories of skills, in search order. */
export function skillDirectories(
  home: string,
  { skills }: { readonly skills: Pick<Config['skills'], 'directory' | 'extraDirs'> },
): readonly string[] {
  const { directory, extraDirs } = skills
  return [homeSkills(home), ...(directory === null ? [] : [directory]), ...extraDirs].map(withoutTilde)
}

export function withoutTilde(path: string): string {
  return /^~(?=\/|$)/.test(path) ? join(homedir(), path.slice(1)) : path
}

/** The folder of the skills that ship with mainstem. */
export const shippedFolder = fileURLToPath(new URL('../../../skills/', import.meta.url))

/** Skills that ship with mainstem; they are loaded once they are added to a home. */
export function shippedSkills(): readonly ShippedSkill[] {
  if (!existsSync(shippedFolder)) return []
  return readdirSync(shippedFolder)
    .toSorted()
    .filter((name) => existsSync(join(shippedFolder, name, 'SKILL.md')))
    .map((name) => ({ name, description: descriptionIn(join(shippedFolder, name, 'SKILL.md')) }))
}

/** In shipped skills the description is on one line. */
function descriptionIn(file: string): string {
  return /^description: (.*)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
}

/** Entries read per directory, besides those that make a folder a skill. */
const ENTRIES_MAX = 2_000
/** The directory, the skill, and two folders in it. */
const DEPTH_MAX = 4

/**
 * The real places of all files of the skills in these directories, loaded or not, and of everything below them. Read
 * anew each time: links may have changed.
 */
export function skillPlaces(directories: readonly string[]): readonly string[] {
  const places = new Set<string>()
  for (const directory of directories) {
    const real = realOf(directory)
    places.add(real)
    // First and without a limit: files that a skill reads through links.
    for (const entry of entriesOf(real)) {
      const skill = placeOf(real, entry)
      places.add(skill)
      const parts = ['SKILL.md', 'tools.json', 'scripts'].map((part) => join(skill, part))
      for (const part of parts) if (isLink(part)) for (const step of stepsOf(part)) places.add(step)
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
      if (entry.isSymbolicLink()) for (const step of stepsOf(join(folder, entry.name))) places.add(step)
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

/** Where the links in a folder lead. */
export function linkedFrom(folder: string): readonly string[] {
  return entriesOf(folder).flatMap((entry) =>
    entry.isSymbolicLink() ? stepsOf(join(folder, entry.name)) : [],
  )
}

const LINKS_MAX = 20

/** The target of a link, and of each link that it leads to; the last is the real place. */
export function stepsOf(path: string): readonly string[] {
  const steps: string[] = []
  for (let at = path; steps.length < LINKS_MAX;) {
    const target = orElse(undefined, () => readlinkSync(at))
    if (target === undefined) break
    at = resolve(realOf(dirname(at)), target)
    steps.push(at)
  }
  return [...steps, realOf(path)]
}

export function isLink(path: string): boolean {
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
export function realOf(path: string): string {
  try {
    return realPath(resolve(path))
  } catch {
    return resolve(path)
  }
}
