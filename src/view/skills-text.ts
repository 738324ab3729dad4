import type { LoadedSkills, Skill } from '../skill/skill.ts'

/** Comes along with the program, and can be added. */
export interface ShippedSkill {
  readonly name: string
  readonly description: string
}

type SkillsHere = LoadedSkills & { readonly shipped: readonly ShippedSkill[] }

/** All skills that were found, and those that come along. Programs rely on the names. */
export function skillsView({ skills, reports, shipped }: SkillsHere) {
  return {
    skills: reports.map((report) => {
      const skill = report.state === 'loaded' ? skills.find(({ name }) => name === report.name) : undefined
      return { ...report, ...(skill && loadedView(skill)) }
    }),
    shipped,
  }
}

function loadedView({ description, allowedTools, files, tools }: Skill) {
  return { description, allowedTools, files, tools: tools.map(({ spec }) => spec.name) }
}

/** All skills that were found, and why one is not loaded; then those that come along. */
export function skillsText(here: SkillsHere): string {
  const { skills, shipped } = skillsView(here)
  const lines = skills.flatMap(({ name, state, because, warnings, description, tools = [] }) => [
    `  ${name}  ${[state, because, description].filter((part) => part != null).join(': ')}`,
    ...(tools.length === 0 ? [] : [`    tools: ${tools.join(', ')}`]),
    ...warnings.map((warning) => `    note: ${warning}`),
  ])
  const left = shipped.filter(({ name }) => !skills.some((skill) => skill.name === name))
  return [
    ...(lines.length === 0 ? ['No skills are loaded.'] : ['Skills:', ...lines]),
    ...(left.length === 0 ? [] : ['Bundled; add one with "mainstem skills add NAME" and /reload:']),
    ...left.map(({ name, description }) => `  ${name}: ${description}`),
  ].join('\n')
}
