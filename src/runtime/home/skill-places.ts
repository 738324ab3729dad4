import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ShippedSkill } from '../../view/skills-text.ts'
import type { Config } from '../../config/settings.ts'

export function homeSkills(home: string): string {
  return join(home, 'skills')
}

type SkillPlaces = { readonly skills: Pick<Config['skills'], 'directory' | 'extraDirs'> }

/** Where skills are looked for, in this order. */
export function skillDirectories(home: string, { skills }: SkillPlaces): readonly string[] {
  const { directory, extraDirs } = skills
  return [homeSkills(home), ...(directory === null ? [] : [directory]), ...extraDirs].map(withoutTilde)
}

export function withoutTilde(path: string): string {
  return /^~(?=\/|$)/.test(path) ? join(homedir(), path.slice(1)) : path
}

/** The folder of skills that come along with the program. */
export const shippedFolder = fileURLToPath(new URL('../../../skills/', import.meta.url))

/** Skills that come along; they are loaded once they were added to a home. */
export function shippedSkills(): readonly ShippedSkill[] {
  if (!existsSync(shippedFolder)) return []
  return readdirSync(shippedFolder)
    .toSorted()
    .filter((name) => existsSync(join(shippedFolder, name, 'SKILL.md')))
    .map((name) => ({ name, description: descriptionIn(join(shippedFolder, name, 'SKILL.md')) }))
}

/** Ours is on one line. */
function descriptionIn(file: string): string {
  return /^description: (.*)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
}
