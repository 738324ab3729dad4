import { lstatSync, realpathSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { sentence } from '../base/words.ts'
import { errorText, readText } from '../base/regular-file.ts'
import { readSkillFields, type SkillFields } from './skill-fields.ts'
import { kindOf, listSkillFiles } from './skill-files.ts'
import type { Skill, SkillReport, SkillSettings } from './skill.ts'

/** Makes tools from the text of a tools.json, or says why it cannot. */
export type LoadTools = (
  file: { readonly text: string; readonly skill: string; readonly directory: string },
  parts: Pick<SkillSettings, 'allowScripts' | 'workspace'>,
) => ToolsRead | Promise<ToolsRead>

type ToolsRead = Pick<Skill, 'tools' | 'warnings' | 'unknownPrograms' | 'plan'> | { readonly problem: string }

export interface SkillParts {
  readonly loadTools: LoadTools
  readonly hasBinary: (name: string) => boolean
  /** Names of tools that no skill may define. */
  readonly reserved: ReadonlySet<string>
}

/** The result of reading one folder with a SKILL.md, regardless of the others. */
export type SkillRead =
  | { readonly state: 'read'; readonly name: string; readonly directory: string; readonly skill: Skill }
  | (SkillReport & { readonly state: 'disabled' | 'refused' })

/** Reads the skill in a folder; undefined for a folder without SKILL.md, and for anything but a folder. */
export async function readSkillFolder(
  folder: string,
  settings: SkillSettings,
  parts: SkillParts,
): Promise<SkillRead | undefined> {
  const place = { name: basename(resolve(folder)), directory: resolve(folder) }
  const found = realFolder(folder)
  if (found === undefined) return undefined
  if ('problem' in found)
    return refused(place, `${folder} ${found.problem}. Make it readable, or move it away.`)
  const { directory } = found
  const file = join(directory, 'SKILL.md')
  const read = readText(file)
  if ('problem' in read) return refused({ ...place, directory }, `${file} ${read.problem}. ${FIT}`)
  const fields = await readSkillFields(read.text, place.name)
  if ('because' in fields) {
    const line = fields.line === null ? '' : `, line ${fields.line}`
    return refused({ ...place, directory }, `${file}${line}: ${sentence(fields.because)}`)
  }
  const named = { name: fields.name, directory }
  if (settings.disabled.includes(fields.name))
    return { ...named, state: 'disabled', because: DISABLED, warnings: fields.warnings }
  const skill = await completed(fields, directory, { settings, parts })
  if ('problem' in skill) return refused(named, skill.problem, fields.warnings)
  return { ...named, state: 'read', skill }
}

const FIT = 'A SKILL.md is a UTF-8 text of up to 256 KiB; longer texts can stand in files beside it.'
const DISABLED = 'skills.disabled names it; take it out of there to use it.'

type Place = Pick<SkillRead, 'name' | 'directory'>

function refused(place: Place, because: string, warnings: readonly string[] = []): SkillRead {
  return { ...place, state: 'refused', because, warnings }
}

/** The folder with links resolved, if it has a SKILL.md of any kind. */
function realFolder(folder: string): { directory: string } | { problem: string } | undefined {
  try {
    if (kindOf(folder) !== 'folder') return undefined
    const directory = realpathSync(folder)
    const file = lstatSync(join(directory, 'SKILL.md'), { throwIfNoEntry: false })
    return file === undefined ? undefined : { directory }
  } catch (cause) {
    return { problem: `cannot be read (${errorText(cause)})` }
  }
}

async function completed(
  { bins, ...fields }: SkillFields,
  directory: string,
  { settings, parts }: { settings: SkillSettings; parts: SkillParts },
): Promise<Skill | { problem: string }> {
  const missing = bins.filter((name) => !parts.hasBinary(name))
  if (missing.length > 0)
    return { problem: `It needs ${missing.join(', ')}, not found in PATH: install what is missing.` }
  const loaded = await toolsOf(fields.name, directory, { settings, parts })
  if ('problem' in loaded) return loaded
  const { files, warnings } = listSkillFiles(directory)
  return {
    ...fields,
    ...loaded,
    directory,
    files,
    warnings: [...fields.warnings, ...loaded.warnings, ...warnings],
  }
}

async function toolsOf(
  skill: string,
  directory: string,
  { settings, parts }: { settings: SkillSettings; parts: SkillParts },
): Promise<ToolsRead> {
  const file = join(directory, 'tools.json')
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined)
    return { tools: [], warnings: kindOf(join(directory, 'scripts')) === 'folder' ? [SCRIPTS_UNUSED] : [] }
  const read = readText(file)
  if ('problem' in read) return { problem: `${file} ${read.problem}.` }
  const { allowScripts, workspace } = settings
  const loaded = await parts.loadTools({ text: read.text, skill, directory }, { allowScripts, workspace })
  if ('problem' in loaded) return { problem: `${file}: ${sentence(loaded.problem)}` }
  const taken = loaded.tools.find(({ spec }) => parts.reserved.has(spec.name))
  if (taken === undefined) return loaded
  return {
    problem: `${file}: ${taken.spec.name} is a built-in tool already, or will be one. Give the tool of this skill another name.`,
  }
}

const SCRIPTS_UNUSED =
  'Its scripts/ are not run: add a tools.json beside SKILL.md that declares them as tools.'
