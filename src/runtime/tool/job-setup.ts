import type { RunAsked } from '../../agent/run/run-act.ts'
import { toolsFor } from '../../agent/right/gating.ts'
import type { AgentSettings } from '../../agent/state/settings.ts'
import type { SystemText } from '../../agent/state/setup.ts'
import { canonicalJson } from '../../base/canonical.ts'
import type { WorkspaceFiles } from '../../command/desk/desk.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import type { Model } from '../../model/contract/model.ts'
import type { Sleep } from '../../model/contract/sleep.ts'
import { isDynamic } from '../../skill/dynamic-context.ts'
import type { LoadedSkills, Skill, SkillContextMode } from '../../skill/skill.ts'

export interface JobParts {
  readonly workspace: Pick<WorkspaceFiles, 'root' | 'read'>
  /** The current parts of prompts. */
  readonly material: {
    readonly mode: () => SkillContextMode
    /** Whether commands in skills may run. */
    readonly scripts: () => boolean
    readonly loaded: () => LoadedSkills
    /** The tools in main's prompts. */
    readonly told: () => readonly ToolSpec[]
    /** Includes tools that only runs see. */
    readonly callable: () => readonly ToolSpec[]
    /** The body of a skill, as jobs get it. */
    readonly load: (skill: Skill, signal: AbortSignal) => Promise<string>
    /** The system text with these skills. */
    readonly system: (skills: readonly Pick<Skill, 'name' | 'description' | 'body'>[]) => SystemText
  }
  /** Throws a ModelError that says what is missing. */
  readonly openModel: (name: string) => Model
  readonly settings: () => Pick<AgentSettings, 'runTimeoutMs'>
  readonly sleep: Sleep
  /** Aborted when the process closes. */
  readonly signal: AbortSignal
}

export type Rights = Pick<
  RunAsked,
  'tag' | 'isolated' | 'reporting' | 'allowPing' | 'tools' | 'skills' | 'chain'
>

/** Forked runs begin with the same bytes as main, so that they share a provider's cache. */
export async function setupFor(
  rights: Rights,
  skills: readonly Skill[],
  parts: JobParts,
): Promise<Pick<RunAsked, 'setup' | 'skillsIn'> & { readonly isLate: boolean }> {
  const { material } = parts
  const isFull = skills.length > 0 && material.mode() === 'full'
  if (rights.isolated) {
    const { loaded, isLate } = isFull ? await asLoaded(skills, parts) : { loaded: skills, isLate: false }
    const tools = canonicalJson(toolsFor(rights, material.callable()))
    return { setup: { ...material.system(loaded), tools }, isLate, ...(isFull && IN_SYSTEM) }
  }
  // The output of a command cannot be part of a text that all share.
  const mustRead = isFull && material.scripts() && skills.some(({ body }) => isDynamic(body))
  // A run that declares skills can read them in every mode, also where main has nothing to read.
  const tools = toolsFor(rights, skills.length > 0 ? material.callable() : material.told())
  const isOwn = canonicalJson(tools) !== canonicalJson(material.told())
  const system = material.system(material.loaded().skills)
  return {
    setup: isOwn ? { ...system, tools: canonicalJson(tools) } : null,
    isLate: false,
    ...(isFull && !mustRead && IN_SYSTEM),
  }
}

const IN_SYSTEM = { skillsIn: 'system' } as const

/** Skills with the current output of their commands; `isLate`: some took too long. */
async function asLoaded(skills: readonly Skill[], { material, sleep, signal }: JobParts) {
  const [late, done] = [new AbortController(), new AbortController()]
  const limit = sleep(SCRIPTS_MS, AbortSignal.any([signal, done.signal])).then(
    () => late.abort(),
    () => undefined,
  )
  const either = AbortSignal.any([signal, late.signal])
  try {
    const loaded = await Promise.all(
      skills.map(async (skill) => ({ ...skill, body: await material.load(skill, either) })),
    )
    return { loaded, isLate: late.signal.aborted }
  } finally {
    done.abort()
    await limit
  }
}

/** Short, because the conversation where /run was typed waits for it. */
const SCRIPTS_MS = 10_000
export const STOPPED = `The commands in its skills took longer than ${SCRIPTS_MS / 1_000} s and were stopped; the run sees a note instead.`
