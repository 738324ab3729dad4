import { basename, dirname, posix, relative, sep } from 'node:path'
import type { ToolSpec } from '../event/prompt.ts'
import { openFolderSafely } from '../tool/files/folder.ts'
import { builtIn, failed, ok, type CallContext, type Tool, type ToolResult } from '../tool/tool.ts'
import { isDynamic } from './dynamic-context.ts'
import { readText } from '../base/regular-file.ts'
import { insideOf } from './skill-files.ts'
import type { Skill, SkillContextMode } from './skill.ts'

const spec: ToolSpec = {
  name: 'read_skill',
  description:
    'Load the full instructions of a skill, or one of the files they point to. Do it before you use a tool of the skill.',
  parameters: {
    type: 'object',
    properties: {
      skill_name: { type: 'string', description: 'Its name, as the list of skills has it' },
      file: { type: 'string', description: 'A file of the skill; its instructions unless given' },
    },
    required: ['skill_name'],
  },
}

/** The instructions of a skill, prepared for this caller. */
export type LoadBody = (skill: Skill, call: CallContext) => Promise<string>

/** Lets a model read these skills, and the files beside them as they are at that moment. */
export function readSkillTool(skills: readonly Skill[], load: LoadBody = async ({ body }) => body): Tool {
  const byName = new Map(skills.map((skill) => [skill.name, skill]))
  return {
    spec,
    nature: builtIn('looks', { subjectOf: ({ skill_name: name, file }) => placeOf(name, file) }),
    run: async ({ skill_name: given, file }, call) => {
      const name = typeof given === 'string' ? given.trim() : ''
      if (name === '') return failed('missing skill_name')
      const skill = byName.get(name)
      if (skill === undefined) return failed(`unknown skill: ${name}`)
      if (file === undefined || file === null || file === '') {
        const body = await load(skill, call)
        const files = `Files: ${skill.files.join(', ')} (read_skill with "file" reads one)`
        return ok(skill.files.length === 0 ? body : `${body}\n\n${files}`)
      }
      return typeof file === 'string' ? readFile(skill, file) : failed('file must be a text')
    },
  }
}

/** `pdf`, or `pdf/forms.md`. */
function placeOf(...parts: readonly unknown[]): string {
  return parts
    .filter((part) => typeof part === 'string' && part.trim() !== '')
    .map((part) => String(part).trim())
    .join('/')
}

/**
 * In full mode the prompt already shows instructions, but neither the files beside them nor what the commands in them say
 * to a job.
 */
export function needsReadSkill(
  skills: readonly Skill[],
  { mode, allowScripts }: { readonly mode: SkillContextMode; readonly allowScripts: boolean },
): boolean {
  if (mode === 'readOnDemand') return skills.length > 0
  return skills.some(({ files, body }) => files.length > 0 || (allowScripts && isDynamic(body)))
}

async function readFile(skill: Skill, file: string): Promise<ToolResult> {
  const path = posix.normalize(file.trim())
  if (!skill.files.includes(path)) return failed(`unknown file: ${file}. ${filesOf(skill)}`)
  const read = await readInside(skill.directory, path)
  if (read === undefined) return failed(`${path} is not in the folder of ${skill.name} any more`)
  return 'problem' in read ? failed(`${path} ${read.problem}`) : ok(read.text)
}

/** Links may have changed since the list was made, and may change again before the file is open. */
async function readInside(directory: string, path: string): Promise<ReturnType<typeof readText> | undefined> {
  const real = insideOf(directory, path)
  if (real === undefined) return undefined
  const parts = relative(directory, dirname(real))
    .split(sep)
    .filter((part) => part !== '')
  try {
    const folder = await openFolderSafely({ root: directory, parts, missing: 'leave' })
    if (folder === undefined) return undefined
    try {
      return readText(folder.at(basename(real)), { links: 'refuse' })
    } finally {
      await folder.close()
    }
  } catch {
    return undefined
  }
}

function filesOf({ name, files }: Skill): string {
  return files.length === 0 ? `${name} has no files` : `Files of ${name}: ${files.join(', ')}`
}
