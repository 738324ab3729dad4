import { memoryPart } from '../../memory/memory-file.ts'
import { skillContext } from '../../skill/context-text.ts'
import type { SkillContextMode } from '../../skill/skill.ts'

export interface SystemParts {
  /** Texts of the files; '' for one that is missing. */
  readonly agents: string
  readonly memory: string
  readonly skills: Parameters<typeof skillContext>[0]
  readonly mode: SkillContextMode
}

/** What every prompt begins with: AGENTS.md, memory.md, skills, in this order; what is empty is left out. */
export function systemText({ agents, memory, skills, mode }: SystemParts): string {
  const parts = [agents.trim(), memoryPart(memory), skillContext(skills, mode)]
  return parts.filter((part) => part !== '').join('\n\n')
}
