import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { judge, type Grant, type PermissionMode } from '../../permission/judge.ts'
import { globFits } from '../../permission/pattern.ts'
import type { Definition } from '../../schedule/definition.ts'
import type { Skill } from '../../skill/skill.ts'
import type { Tool } from '../../tool/tool.ts'
import type { ActTool } from '../contract/act.ts'
import { grantsIn } from '../state/approvals.ts'
import { speakerNear } from '../state/asker.ts'
import { addedTools, notHere, offeredIn, patternsText, type JobRights } from './gating.ts'
import { runAbove, type Run } from '../state/run.ts'
import { OWNER, personOf } from '../../event/speaker.ts'

/** What there is to call, and how far a person lets it be called. */
export interface Offer {
  readonly permissions: PermissionMode
  readonly tools: readonly Pick<Tool | ActTool, 'spec' | 'nature'>[]
  readonly skills: readonly Pick<Skill, 'name' | 'allowedTools'>[]
}

/** Who writes the definition of a job, with what it may do at that moment without asking anybody. */
export interface Maker extends Offer {
  /** Null: the main session, or what works for it. */
  readonly run: Run | null
  readonly person: string
  readonly grants: readonly Grant[]
}

export function makerIn(reader: Reader, branch: BranchId, offer: Offer): Maker {
  const run = runAbove(reader, branch) ?? null
  const person = run === null ? (speakerNear(reader, branch) ?? OWNER) : personOf(run)
  return { ...offer, run, person, grants: grantsIn(reader) }
}

/** What a job would get beyond what its maker has, each in words behind "it"; empty: nothing (SAFE4). */
export function moreRights(definition: Definition, maker: Maker): readonly string[] {
  const { kind, model, person } = definition
  const isRepeat = kind === 'reminder' && definition.snoozeOf !== null
  return [
    ...(kind === 'webhook' ? ['lets whoever is outside start it'] : []),
    ...(model === null ? [] : [`names a model of its own, ${model}`]),
    ...(personOf(definition) === maker.person ? [] : [`is for ${person ?? 'the owner'}`]),
    // The host sends those without a token.
    ...(isRepeat ? ['says snooze-of, which is for what a person snoozed'] : []),
    ...missingSkills(definition, maker),
    ...(maker.run === null ? beyondMain(definition, maker) : beyondRun(definition, maker, maker.run)),
  ]
}

/** Nobody knows yet what those would allow. */
function missingSkills({ skills }: Definition, maker: Maker): string[] {
  const missing = skills.filter((name) => !maker.skills.some((skill) => skill.name === name))
  return missing.map((name) => `needs the skill '${name}', which is not there`)
}

function beyondMain(definition: Definition, maker: Maker): string[] {
  const rights = rightsOf(definition, maker)
  const beyond = addedTools(rights).filter(
    (pattern) => !isOfEveryRun(pattern, rights, maker) && !mayCall(pattern, maker),
  )
  return beyond.length === 0 ? [] : [`may call ${patternsText(beyond)}`]
}

/** As a run of it in the background would have them. */
function rightsOf(definition: Definition, { skills }: Maker): JobRights {
  const { kind, reporting, allowPing, tools } = definition
  const declared = skills.filter(({ name }) => definition.skills.includes(name))
  return {
    tag: kind === 'webhook' ? kind : `${kind}-bg`,
    reporting,
    allowPing,
    tools: [...new Set([...tools, ...declared.flatMap(({ allowedTools }) => allowedTools)])],
    skills: definition.skills,
  }
}

function isOfEveryRun(pattern: string, rights: JobRights, { tools }: Maker): boolean {
  const run = { ...rights, tools: [], skills: [] }
  const names = tools.map(({ spec }) => spec.name)
  return notHere(partsOf(pattern).name, '', { mode: 'background', run, tools: names }) === undefined
}

/** Whether main may make every call that the pattern means, and nobody is asked. */
function mayCall(pattern: string, { permissions: mode, tools, grants }: Maker): boolean {
  if (mode === 'bypassPermissions') return true
  const { name, glob } = partsOf(pattern)
  const meant = tools.filter(({ spec }) => isNamed(name, spec.name))
  return (
    meant.length > 0 &&
    meant.every(({ spec: { name: tool }, nature }) => {
      const question = { mode, tool, nature, subject: '', pattern: tool, grants: [], canAsk: false }
      if (judge(question).kind === 'allowed') return true
      return grants.some(
        (grant) =>
          grant.pattern.tool === tool &&
          grant.fingerprint === (nature.fingerprint ?? null) &&
          isWider(grant.pattern.glob, glob),
      )
    })
  )
}

/** In a main session a job may do more than any run, and in the background no more than this one. */
function beyondRun(definition: Definition, maker: Maker, run: Run): string[] {
  const rights = rightsOf(definition, maker)
  const names = maker.tools.map(({ spec }) => spec.name)
  const caller = { mode: 'background', run, tools: names } as const
  const usual = offeredIn({ mode: 'background', run: { ...rights, tools: [], skills: [] }, tools: names })
  const beyond = [...usual, ...addedTools(rights)].filter((pattern) => !hasRun(pattern, run, caller))
  const unread = definition.skills.filter((skill) => notHere('read_skill', skill, caller) !== undefined)
  return [
    ...(definition.background ? [] : ['works in the main session, which may do more than this run']),
    ...(run.isolated && !definition.isolated ? ['knows the main session, which this run does not'] : []),
    ...(beyond.length === 0 ? [] : [`may call ${patternsText(beyond)}`]),
    ...unread.map((skill) => `reads the skill '${skill}'`),
  ]
}

function hasRun(pattern: string, run: Run, caller: Parameters<typeof notHere>[2]): boolean {
  const { name, glob } = partsOf(pattern)
  const bare = { ...caller, run: { ...run, tools: [], skills: [] } }
  if (notHere(name, '', bare) === undefined) return true
  return addedTools(run).some((text) => {
    const own = partsOf(text)
    return isNamed(own.name, name) && isWider(own.glob, glob)
  })
}

function partsOf(pattern: string): { readonly name: string; readonly glob: string | null } {
  const [, name = pattern, glob = null] = /^([^(]*)\((.*)\)$/s.exec(pattern) ?? []
  return { name: name.toLowerCase(), glob }
}

/** Only names of MCP tools may have stars. */
function isNamed(name: string, tool: string): boolean {
  const called = tool.toLowerCase()
  return name === called || (name.startsWith('mcp__') && called.startsWith('mcp__') && isWider(name, called))
}

/** Whether whatever fits the narrow glob fits the wide one; in doubt not. Null: everything. */
function isWider(wide: string | null, narrow: string | null): boolean {
  if (wide === null || wide === narrow) return true
  if (narrow === null) return false
  // A `?` is one character, and a `*` may be many.
  return !(wide.includes('?') && narrow.includes('*')) && globFits(wide, narrow)
}
