import type { RunAsked } from '../agent/acts/run-act.ts'
import { toolsFor } from '../agent/gating.ts'
import type { AgentSettings } from '../agent/settings.ts'
import { canonicalJson } from '../base/canonical.ts'
import { nearest } from '../base/nearest.ts'
import { oneLine, shorten } from '../base/width.ts'
import { sentence } from '../base/words.ts'
import type { JobRead, WorkspaceFiles } from '../command/desk.ts'
import type { ToolSpec } from '../event/prompt.ts'
import { ModelError, type Model } from '../model/model.ts'
import type { Sleep } from '../model/sleep.ts'
import type { Definition } from '../schedule/definition.ts'
import { problemText, readDefinition, type DefinitionFile } from '../schedule/read-definition.ts'
import { isDynamic } from '../skill/dynamic-context.ts'
import type { LoadedSkills, Skill, SkillContextMode } from '../skill/skill.ts'
import { PathError } from '../tool/files/path.ts'

/** What prompts of runs are made from, as it is now. */
export interface JobMaterial {
  readonly mode: () => SkillContextMode
  /** Whether commands in skills may run. */
  readonly scripts: () => boolean
  readonly loaded: () => LoadedSkills
  /** What the prompts of main tell of tools. */
  readonly told: () => readonly ToolSpec[]
  /** With those that only runs hear of. */
  readonly callable: () => readonly ToolSpec[]
  /** The body of a skill as jobs have it. */
  readonly load: (skill: Skill, signal: AbortSignal) => Promise<string>
  /** What prompts begin with where these are the skills. */
  readonly system: (skills: readonly Pick<Skill, 'name' | 'description' | 'body'>[]) => string
}

export interface JobParts {
  readonly workspace: Pick<WorkspaceFiles, 'root' | 'read'>
  readonly material: JobMaterial
  /** Throws a ModelError that says what is missing. */
  readonly openModel: (name: string) => Model
  readonly settings: () => Pick<AgentSettings, 'runTimeoutMs'>
  readonly sleep: Sleep
  /** Aborted when the process closes. */
  readonly signal: AbortSignal
}

export interface JobReader {
  readonly inWorkspace: (path: string) => Promise<JobRead>
  readonly of: (file: DefinitionFile) => Promise<JobRead>
  /** Stops whatever runs to read a job; resolves when nothing does any more. */
  close(): Promise<void>
}

export function jobReader(given: Omit<JobParts, 'signal'>): JobReader {
  const closing = new AbortController()
  const parts = { ...given, signal: closing.signal }
  const readings = new Set<Promise<JobRead>>()
  const kept = (reading: Promise<JobRead>): Promise<JobRead> => {
    readings.add(reading)
    return reading.finally(() => readings.delete(reading))
  }
  return {
    inWorkspace: (path) => kept(jobIn(path, parts)),
    of: (file) => kept(jobOf(file, parts)),
    close: async () => {
      closing.abort()
      await Promise.allSettled(readings)
    },
  }
}

/** What a file of the workspace asks to be run. */
export async function jobIn(path: string, parts: JobParts): Promise<JobRead> {
  const { root, read } = parts.workspace
  try {
    const text = await read(path)
    if (text !== undefined) return await jobOf({ file: path.replace(/^\.\//, ''), text }, parts)
    return { problem: `There is no file ${path} in the workspace, ${root}.` }
  } catch (error) {
    if (error instanceof PathError) return { problem: error.message }
    throw error
  }
}

/** What a file asks to be run, by hand and now. Nothing starts that could not work. */
export async function jobOf(file: DefinitionFile, parts: JobParts): Promise<JobRead> {
  const read = await readDefinition(file, { due: 'optional' })
  if ('problem' in read) return { problem: problemText(read.problem) }
  const { definition } = read
  const wrongModel = modelProblem(definition.model, parts)
  if (wrongModel !== undefined) return { problem: `${file.file}: ${wrongModel}` }
  const skills = declaredIn(definition, parts.material.loaded())
  if ('problem' in skills) return { problem: `${file.file}: ${skills.problem}` }
  const rights = rightsOf(definition, skills)
  const { isLate, ...setup } = await setupFor(rights, skills, parts)
  if (parts.signal.aborted) return { problem: `${file.file}: mainstem closes, so it was not started.` }
  const job: RunAsked = {
    ...rights,
    ...setup,
    job: definition.id,
    file: file.file,
    model: definition.model,
    thinking: definition.thinking,
    timeoutMs: parts.settings().runTimeoutMs,
    title: definition.description || shorten(oneLine(definition.body), TITLE_COLUMNS),
    body: definition.body,
  }
  const warnings = [...read.warnings, ...(isLate ? [STOPPED] : []), ...byHandNotes(definition)]
  return { job, warnings }
}

const TITLE_COLUMNS = 60
/** Whoever typed /run waits for it, and so does all else that is said there. */
const SCRIPTS_MS = 10_000
const STOPPED = `The commands of its skills took longer than ${SCRIPTS_MS / 1_000} s in all and were stopped: the run is told so in their place.`

/** Why the model of a job cannot be asked; undefined when it can. */
export function modelProblem(
  name: string | null,
  { openModel }: Pick<JobParts, 'openModel'>,
): string | undefined {
  try {
    if (name !== null) openModel(name)
    return undefined
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return `its model cannot be used: ${sentence(error.message)}`
  }
}

type Declared = readonly Skill[] | { readonly problem: string }

function declaredIn({ skills: names }: Definition, { skills, reports }: LoadedSkills): Declared {
  const found: Skill[] = []
  for (const name of names) {
    const skill = skills.find((one) => one.name === name)
    if (skill === undefined) return { problem: unknownSkill(name, { skills, reports }) }
    found.push(skill)
  }
  return found
}

function unknownSkill(name: string, { skills, reports }: LoadedSkills): string {
  const report = reports.find((one) => one.name === name && one.because !== null)
  if (report !== undefined)
    return `it needs the skill '${name}', which is not loaded: ${sentence(report.because ?? '')}`
  const near = nearest(
    name,
    skills.map((one) => one.name),
  )
  const meant = near === undefined ? '.' : `; did you mean '${near}'?`
  return `it needs the skill '${name}', and there is none of that name${meant} /skills lists them.`
}

type Rights = Pick<RunAsked, 'tag' | 'isolated' | 'reporting' | 'allowPing' | 'tools' | 'skills'>

/** Whatever kind of job it is, by hand it is run as a routine of the background. */
function rightsOf(definition: Definition, skills: readonly Skill[]): Rights {
  const { isolated, reporting, allowPing, tools } = definition
  return {
    tag: 'routine-bg',
    isolated,
    reporting,
    allowPing,
    tools: [...new Set([...tools, ...skills.flatMap(({ allowedTools }) => allowedTools)])],
    skills: skills.map(({ name }) => name),
  }
}

/** Forked runs begin as main does, to the byte: so that a provider's cache of it serves them too. */
async function setupFor(
  rights: Rights,
  skills: readonly Skill[],
  parts: JobParts,
): Promise<Pick<RunAsked, 'setup' | 'skillsIn'> & { readonly isLate: boolean }> {
  const { material } = parts
  const isFull = skills.length > 0 && material.mode() === 'full'
  if (rights.isolated) {
    const { loaded, isLate } = isFull ? await asLoaded(skills, parts) : { loaded: skills, isLate: false }
    const tools = canonicalJson(toolsFor(rights, material.callable()))
    return { setup: { system: material.system(loaded), tools }, isLate, ...(isFull && IN_SYSTEM) }
  }
  // What a command says cannot stand in a text that all share.
  const mustRead = isFull && material.scripts() && skills.some(({ body }) => isDynamic(body))
  const told = mustRead ? material.callable() : material.told()
  const tools = toolsFor(rights, told)
  const isOwn = canonicalJson(tools) !== canonicalJson(material.told())
  const system = material.system(material.loaded().skills)
  return {
    setup: isOwn ? { system, tools: canonicalJson(tools) } : null,
    isLate: false,
    ...(isFull && !mustRead && IN_SYSTEM),
  }
}

const IN_SYSTEM = { skillsIn: 'system' } as const

/** With what their commands say by now; `isLate`: not all of them were done in time. */
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

/** What holds only when it is due. */
function byHandNotes(definition: Definition): string[] {
  const notes: string[] = []
  if (isForeground(definition))
    notes.push('When it is due it runs in the main session; started by hand, it runs in the background.')
  if (definition.kind === 'routine' && definition.isPersistent)
    notes.push('When it is due it goes on where it ended the last time; started by hand, it begins anew.')
  if (definition.kind === 'webhook' && definition.fields !== null)
    notes.push('Started by hand, it gets no data.')
  if (definition.person !== null) notes.push(`It is for ${definition.person}; started by hand, it is yours.`)
  return notes
}

/** A file that never becomes due has nothing to say about that. */
function isForeground(definition: Definition): boolean {
  if (definition.background) return false
  return definition.kind === 'routine' ? definition.cron !== null : definition.kind === 'reminder'
}
