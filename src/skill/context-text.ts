import type { Skill, SkillContextMode } from './skill.ts'

type Described = Pick<Skill, 'name' | 'description' | 'body'>

/** The part of the system text about skills; empty if there are none. */
export function skillContext(skills: readonly Described[], mode: SkillContextMode): string {
  if (skills.length === 0) return ''
  return mode === 'full'
    ? `${INTRO_FULL}${skills.map(wholeText).join('')}`
    : `${INTRO_ON_DEMAND}${skills.map(listEntry).join('')}`
}

/** Where a system text begins to tell of skills; undefined: it does not. */
export function skillsStart(system: string): number | undefined {
  const found = [INTRO_FULL, INTRO_ON_DEMAND].map((intro) => system.indexOf(intro)).filter((at) => at >= 0)
  return found.length === 0 ? undefined : Math.min(...found)
}

const INTRO_FULL = 'You have access to the following skills. Use them when relevant.\n\n'

const INTRO_ON_DEMAND =
  'You have skills. When one clearly applies, call read_skill with its name to load its full instructions before using its tools.\n\n## Available skills\n\n'

function wholeText({ name, description, body }: Described): string {
  return `## ${name}\n${description === '' ? '' : `${description}\n\n`}${body}\n\n`
}

function listEntry({ name, description }: Described): string {
  return `- **${name}**: ${onOneLine(description)}\n`
}

function onOneLine(text: string): string {
  const lines = text.split(/[\n\v\f\r\u0085\u2028\u2029]/)
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}
