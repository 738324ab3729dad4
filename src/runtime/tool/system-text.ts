import type { SystemText } from '../../agent/state/setup.ts'
import type { Sections } from '../../event/work.ts'
import { memoryPart } from '../../memory/memory-file.ts'
import { skillContext } from '../../skill/context-text.ts'
import type { SkillContextMode } from '../../skill/skill.ts'

export interface SystemParts {
  /** Texts of the files; '' for a missing one. */
  readonly agents: string
  /** The host's words about who is talked to; left out: the owner. */
  readonly host?: string
  readonly memory: string
  readonly skills: Parameters<typeof skillContext>[0]
  readonly mode: SkillContextMode
}

/** The system text of every prompt: AGENTS.md, memory.md and skills, in this order, without empty parts. */
export function systemText({ agents, host = '', memory, skills, mode }: SystemParts): SystemText {
  const parts = Object.entries({
    agents: agents.trim(),
    host,
    memory: memoryPart(memory),
    skills: skillContext(skills, mode),
  } satisfies Record<Sections[number]['name'], string>).filter(([, text]) => text !== '')
  return {
    system: parts.map(([, text]) => text).join('\n\n'),
    sections: parts.map(([name, { length }]) => ({ name: name as Sections[number]['name'], length })),
  }
}
