import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
