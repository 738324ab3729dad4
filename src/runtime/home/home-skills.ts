import type { JsonObject } from '../../base/json.ts'
import type { Config } from '../../config/table/settings.ts'
import { loadTools, type ExecutorParts } from '../../skill/executor/load-tools.ts'
import type { Plan } from '../../skill/executor/plan.ts'
import { loadSkills } from '../../skill/load-skills.ts'
import { readSkillFolder } from '../../skill/skill-folder.ts'
import type { LoadedSkills, Skill, SkillSettings } from '../../skill/skill.ts'
import { findBinary as findOnPath } from '../../tool/process/find-binary.ts'
import { homeBoxes } from './home-boxes.ts'
import { skillDirectories, withoutTilde } from './skill-places.ts'

/** Built in, in the order in which models are told of them; a skill's tool cannot have one of these names. */
export const builtInNames = [
  'slash',
  'recall',
  'read_log',
  'wait',
  'enter_fork',
  'save_context',
  'exit_fork',
  'report_updates',
  'ping_user',
  'send_embed',
  'send_file',
  'add_reminder',
  'list_reminders',
  'cancel_reminder',
  'follow_up_chain',
  'todo',
  'compact_session',
  'help',
  'remember',
  'read',
  'write',
  'edit',
  'glob',
  'grep',
  'web_fetch',
  'web_search',
] as const

/** Names of future tools, which no skill's tool may have either. */
export const keptNames = ['task_create'] as const

export interface SkillParts {
  readonly home: string
  /** The full path. */
  readonly workspace: string
  readonly values: Pick<Config, 'skills' | 'sandbox'>
  /** The environment that tools see. */
  readonly environment: Readonly<Record<string, string>>
}

/** Loads the skills of a home from the configured folders. */
export function loadHomeSkills(parts: SkillParts): Promise<LoadedSkills> {
  return loadSkills(settingsOf(parts), loadingOf(parts))
}

/** Loads the skill in one folder, even if its name is disabled. */
export async function loadOneSkill(
  folder: string,
  parts: SkillParts,
): Promise<{ readonly skill?: Skill; readonly because: string | null }> {
  const read = await readSkillFolder(folder, { ...settingsOf(parts), disabled: [] }, loadingOf(parts))
  if (read === undefined) return { because: 'there is no folder with a SKILL.md' }
  return read.state === 'read' ? { skill: read.skill, because: null } : { because: read.because }
}

/** The program that a call of a skill's tool would start. */
export async function planSkillCall(tool: string, args: JsonObject, parts: SkillParts): Promise<Plan> {
  const { skills } = await loadHomeSkills(parts)
  const skill = skills.find(({ tools }) => tools.some(({ spec }) => spec.name === tool))
  if (skill?.plan !== undefined) return skill.plan(tool, args)
  const names = skills.flatMap(({ tools }) => tools.map(({ spec }) => spec.name))
  return { problem: `no loaded skill has this tool; loaded tools: ${names.join(', ') || 'none'}` }
}

function settingsOf({ home, workspace, values }: SkillParts): SkillSettings {
  const { disabled, allowScripts } = values.skills
  return { directories: skillDirectories(home, values), disabled, allowScripts, workspace }
}

function loadingOf(parts: SkillParts): Parameters<typeof loadSkills>[1] {
  const executor = executorOf(parts)
  return {
    loadTools: (file) => loadTools(file, executor),
    hasBinary: (name) => executor.findBinary(name) !== undefined,
    reserved: new Set<string>(['read_skill', ...builtInNames, ...keptNames]),
  }
}

function executorOf({ home, environment, values, workspace }: SkillParts): ExecutorParts {
  const findBinary = (name: string): string | undefined => findOnPath(name, environment['PATH'] ?? '')
  const roots = { others: values.skills.roots.map(withoutTilde), closed: home }
  const boxes = homeBoxes({ home, root: workspace, environment, values: () => values })
  return { allowScripts: values.skills.allowScripts, workspace, roots, environment, findBinary, boxes }
}
