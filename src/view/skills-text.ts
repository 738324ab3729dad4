import type { LoadedSkills, SkillReport } from '../skill/skill.ts'

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
      if (skill === undefined) return report
      const { description, allowedTools, files, tools } = skill
      return { ...report, description, allowedTools, files, tools: tools.map(({ spec }) => spec.name) }
    }),
    shipped,
  }
}

/** All skills that were found, and why one is not loaded; then those that come along. */
export function skillsText({ skills, reports, shipped }: SkillsHere): string {
  const lines = reports.flatMap((report) => {
    const skill = report.state === 'loaded' ? skills.find(({ name }) => name === report.name) : undefined
    const tools = skill?.tools.map(({ spec }) => spec.name) ?? []
    return [
      `  ${report.name}  ${stateOf(report)}${skill === undefined ? '' : `: ${skill.description}`}`,
      ...(tools.length === 0 ? [] : [`    tools: ${tools.join(', ')}`]),
      ...report.warnings.map((warning) => `    note: ${warning}`),
    ]
  })
  const left = shipped.filter(({ name }) => !reports.some((report) => report.name === name))
  return [
    ...(lines.length === 0 ? ['No skills are loaded.'] : ['Skills:', ...lines]),
    ...(left.length === 0 ? [] : ['Bundled; add one with "mainstem skills add NAME" and /reload:']),
    ...left.map(({ name, description }) => `  ${name}: ${description}`),
  ].join('\n')
}

function stateOf({ state, because }: SkillReport): string {
  return because === null ? state : `${state}: ${because}`
}
