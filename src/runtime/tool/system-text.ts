import { memoryPart } from '../../memory/memory-file.ts'
import { skillContext } from '../../skill/context-text.ts'
import type { SkillContextMode } from '../../skill/skill.ts'

export interface SystemParts {
  /** Texts of the files; '' for a missing one. */
  readonly agents: string
  readonly memory: string
  readonly skills: Parameters<typeof skillContext>[0]
  readonly mode: SkillContextMode
}

/** The system text of every prompt: AGENTS.md, memory.md and skills, in this order, without empty parts. */
export function systemText({ agents, memory, skills, mode }: SystemParts): string {
  const parts = [agents.trim(), memoryPart(memory), skillContext(skills, mode)]
  return parts.filter((part) => part !== '').join('\n\n')
}
