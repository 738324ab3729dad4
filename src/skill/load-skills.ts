import { readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { errorText } from '../base/regular-file.ts'
import { byCodeUnits } from './skill-files.ts'
import { readSkillFolder, type SkillParts, type SkillRead } from './skill-folder.ts'
import type { LoadedSkills, Skill, SkillReport, SkillSettings } from './skill.ts'

/** Reads all skills. A broken one is reported and does not affect the others. */
export async function loadSkills(settings: SkillSettings, parts: SkillParts): Promise<LoadedSkills> {
  const reads: SkillRead[] = []
  for (const directory of settings.directories)
    reads.push(...uniqueNames(await readDirectory(directory, settings, parts)))
  const merged = mergeByName(reads)
  const conflicts = toolConflicts(merged)
  return {
    skills: merged.filter((skill) => !conflicts.has(skill)),
    reports: reads.flatMap((read) => reportOf(read, merged, conflicts) ?? []),
  }
}

/** The skills in the folders of a directory, by name. */
async function readDirectory(
  directory: string,
  settings: SkillSettings,
  parts: SkillParts,
): Promise<SkillRead[]> {
  const listed = foldersIn(directory)
  if ('problem' in listed) {
    const because = `${directory} ${listed.problem}. A folder that holds folders of skills is needed.`
    return [
      { state: 'refused', name: basename(directory), directory: resolve(directory), because, warnings: [] },
    ]
  }
  const reads: SkillRead[] = []
  for (const folder of listed.folders) {
    const read = await readSkillFolder(join(directory, folder), settings, parts)
    if (read !== undefined) reads.push(read)
  }
  return reads.toSorted((a, b) => byCodeUnits(a.name, b.name))
}

function foldersIn(directory: string): { folders: string[] } | { problem: string } {
  try {
    const names = readdirSync(directory).filter((name) => !name.startsWith('.'))
    return { folders: names.toSorted(byCodeUnits) }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { folders: [] }
    return { problem: `cannot be listed (${errorText(cause)})` }
  }
}

/** Within one directory nothing says which of two is meant, so the first by folder name stays. */
function uniqueNames(reads: readonly SkillRead[]): SkillRead[] {
  const first = new Map<string, string>()
  return reads.map((read) => {
    if (read.state !== 'read') return read
    const other = first.get(read.name)
    if (other === undefined) first.set(read.name, read.directory)
    if (other === undefined || other === read.directory) return read
    const because = `${other} in the same directory is called ${read.name} too: rename one of them.`
    const { name, directory, skill } = read
    return { state: 'refused', name, directory, because, warnings: skill.warnings }
  })
}

/** A map keeps the place of a key whose value is replaced, which is the wanted order. */
function mergeByName(reads: readonly SkillRead[]): Skill[] {
  const merged = new Map<string, Skill>()
  for (const read of reads) if (read.state === 'read') merged.set(read.name, read.skill)
  return [...merged.values()]
}

/** Skills that define a tool of an earlier skill, with the error for each. */
function toolConflicts(skills: readonly Skill[]): Map<Skill, string> {
  const owners = new Map<string, string>()
  const conflicts = new Map<Skill, string>()
  for (const skill of skills) {
    const taken = skill.tools.find(({ spec }) => owners.has(spec.name))?.spec.name
    if (taken === undefined) for (const { spec } of skill.tools) owners.set(spec.name, skill.name)
    else
      conflicts.set(
        skill,
        `The tool ${taken} is defined by the skill ${owners.get(taken)} and by the skill ${skill.name}: rename it in the tools.json of one of them, or add one of them to skills.disabled.`,
      )
  }
  return conflicts
}

/** Undefined for a skill that was read twice because two directories are the same. */
function reportOf(
  read: SkillRead,
  merged: readonly Skill[],
  conflicts: ReadonlyMap<Skill, string>,
): SkillReport | undefined {
  if (read.state !== 'read') return read
  const { name, directory, skill } = read
  const { warnings } = skill
  const winner = merged.find((other) => other.name === name)
  if (winner !== undefined && winner !== skill) {
    if (winner.directory === directory) return undefined
    const because = `${winner.directory} has the same name and comes from a later directory.`
    return { name, directory, state: 'replaced', because, warnings }
  }
  const conflict = conflicts.get(skill)
  if (conflict !== undefined) return { name, directory, state: 'refused', because: conflict, warnings }
  return { name, directory, state: 'loaded', because: null, warnings }
}
