import type { JsonObject } from '../base/json.ts'
import type { Tool } from '../tool/tool.ts'
import type { Plan } from './executor/plan.ts'

/** Instructions for a kind of work, and the tools that come with them, from a folder with a SKILL.md. */
export interface Skill {
  readonly name: string
  readonly description: string
  /** SKILL.md without its front matter. */
  readonly body: string
  /** With its whole path, links resolved. */
  readonly directory: string
  /** Names of tools as the front matter gives them, made ours: lower case, aliases resolved. */
  readonly allowedTools: readonly string[]
  /** Of tools.json; empty without one. */
  readonly tools: readonly Tool[]
  /** Programs behind its tools of which nobody here knows that they do no harm. */
  readonly unknownPrograms?: readonly string[]
  /** What a call of one of its tools would run, without running anything. */
  readonly plan?: (tool: string, args: JsonObject) => Plan
  /** Texts beside SKILL.md that it may point to, as paths in its folder, sorted. */
  readonly files: readonly string[]
  /** What is odd about it, and does not keep it from being loaded. */
  readonly warnings: readonly string[]
}

/** What became of a folder with a SKILL.md. */
export interface SkillReport {
  readonly name: string
  readonly directory: string
  readonly state: 'loaded' | 'replaced' | 'disabled' | 'refused'
  /** Why it is not loaded, and what to do; null when it is. */
  readonly because: string | null
  readonly warnings: readonly string[]
}

export interface LoadedSkills {
  /** In the order of their directories, names sorted inside each; what replaces another stands in its place. */
  readonly skills: readonly Skill[]
  readonly reports: readonly SkillReport[]
}

export type SkillContextMode = 'full' | 'readOnDemand'

export interface SkillSettings {
  /** In their order; those that do not exist hold no skills. */
  readonly directories: readonly string[]
  readonly disabled: readonly string[]
  /** Whether scripts and !`commands` of skills may run. */
  readonly allowScripts: boolean
  /** Where tools run, and which no path may leave. */
  readonly workspace: string
}
