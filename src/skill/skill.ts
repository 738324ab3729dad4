import type { JsonObject } from '../base/json.ts'
import type { Tool } from '../tool/tool.ts'
import type { ExecutorParts } from './executor/load-tools.ts'
import type { Plan } from './executor/plan.ts'

/** Instructions for a kind of work, and the tools that come with them, from a folder with a SKILL.md. */
export interface Skill {
  readonly name: string
  readonly description: string
  /** SKILL.md without its front matter. */
  readonly body: string
  /** Absolute path, links resolved. */
  readonly directory: string
  /** Tool names from the front matter in our form: lower case, aliases resolved. */
  readonly allowedTools: readonly string[]
  /** The tools of tools.json; empty without one. */
  readonly tools: readonly Tool[]
  /** Programs of its tools that are not known to be harmless. */
  readonly unknownPrograms?: readonly string[]
  /** Whether its programs reach the network from their box. */
  readonly network?: boolean
  /** The command that a call of one of its tools would run, without running anything. */
  readonly plan?: (tool: string, args: JsonObject) => Plan
  /** Text files beside SKILL.md that it may point to, as sorted paths in its folder. */
  readonly files: readonly string[]
  /** Problems that do not keep it from being loaded. */
  readonly warnings: readonly string[]
}

/** The outcome for a folder with a SKILL.md. */
export interface SkillReport {
  readonly name: string
  readonly directory: string
  readonly state: 'loaded' | 'replaced' | 'disabled' | 'refused'
  /** Why it is not loaded, and what to do; null if it is. */
  readonly because: string | null
  readonly warnings: readonly string[]
}

export interface LoadedSkills {
  /** In the order of their directories, sorted by name inside each; a replacement takes the place of the original. */
  readonly skills: readonly Skill[]
  readonly reports: readonly SkillReport[]
}

export type SkillContextMode = 'full' | 'readOnDemand'

export interface SkillSettings extends Pick<ExecutorParts, 'allowScripts' | 'workspace'> {
  /** In order; missing ones count as empty. */
  readonly directories: readonly string[]
  readonly disabled: readonly string[]
}
