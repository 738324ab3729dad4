import type { RunAsked } from '../../agent/run/run-act.ts'
import type { JsonObject } from '../../base/json.ts'
import { nearest } from '../../base/nearest.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { sentence } from '../../base/words.ts'
import type { JobRead } from '../../agent/run/run-act.ts'
import { ModelError } from '../../model/contract/model.ts'
import type { Definition, Webhook } from '../../schedule/definition.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { checkPayload } from '../../schedule/payload-check.ts'
import { problemText, readDefinition, type DefinitionFile } from '../../schedule/read-definition.ts'
import { webhookTask } from '../../schedule/webhook-task.ts'
import type { LoadedSkills, Skill } from '../../skill/skill.ts'
import { PathError } from '../../tool/files/path.ts'
import { setupFor, STOPPED, type JobParts, type Rights } from './job-setup.ts'

export interface JobReader {
  /** By hand; data is for a webhook. */
  readonly inWorkspace: (path: string, payload?: JsonObject) => Promise<JobRead>
  readonly of: (file: DefinitionFile, payload?: JsonObject) => Promise<JobRead>
  /** Because it is due. */
  readonly due: (loaded: LoadedJob, payload?: JsonObject) => Promise<JobRead>
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
    inWorkspace: (path, payload) => kept(jobIn(path, parts, payload)),
    of: (file, payload) => kept(jobOf(file, parts, payload)),
    due: (loaded, payload) => kept(jobFor(loaded, parts, payload)),
    close: async () => {
      closing.abort()
      await Promise.allSettled(readings)
    },
  }
}

/** What a file of the workspace asks to be run. */
export async function jobIn(path: string, parts: JobParts, payload?: JsonObject): Promise<JobRead> {
  const { root, read } = parts.workspace
  try {
    const text = await read(path)
    if (text !== undefined) return await jobOf({ file: path.replace(/^\.\//, ''), text }, parts, payload)
    return { problem: `There is no file ${path} in the workspace, ${root}.` }
  } catch (error) {
    if (error instanceof PathError) return { problem: error.message }
    throw error
  }
}

/** What a file asks to be run, by hand and now. Nothing starts that could not work. */
export async function jobOf(file: DefinitionFile, parts: JobParts, payload?: JsonObject): Promise<JobRead> {
  const read = await readDefinition(file, { due: 'optional' })
  if ('problem' in read) return { problem: problemText(read.problem) }
  const { definition, warnings } = read
  // A webhook to which nothing was given got no data, and that may be too little.
  const data = payload ?? (definition.kind === 'webhook' ? {} : undefined)
  const misfit = data && (await dataProblem(definition, data))
  if (misfit !== undefined) return { problem: `${file.file}: ${misfit}` }
  const found = await runOf(definition, { file: file.file, asked: byHand(definition, data), parts })
  if ('problem' in found) return found
  return { job: found.job, warnings: [...warnings, ...found.warnings, ...byHandNotes(definition)] }
}

/** Why it cannot be sent this; undefined: it can. */
async function dataProblem(definition: Definition, payload: JsonObject): Promise<string | undefined> {
  if (definition.kind !== 'webhook') return 'only a webhook takes data.'
  const checked = await checkPayload(definition, payload)
  return 'problems' in checked ? checked.problems.join(' ') : undefined
}

/** What a job asks to be run in the background, when it is due. Nothing starts that could not work. */
export async function jobFor(
  { definition, file, warnings }: LoadedJob,
  parts: JobParts,
  payload: JsonObject = {},
): Promise<JobRead> {
  const found = await runOf(definition, { file, asked: whenDue(definition, payload), parts })
  return 'problem' in found ? found : { job: found.job, warnings: [...warnings, ...found.warnings] }
}

type Asked = Pick<RunAsked, 'tag' | 'body' | 'before' | 'person' | 'chain' | 'session'>

/** Whose it is, and how it goes on after itself. */
function whenDue(definition: Definition, payload: JsonObject): Asked {
  const { kind, body } = definition
  const person = definition.person === null ? {} : { person: definition.person }
  if (kind === 'webhook') return { ...withData(definition, payload), ...person }
  if (kind === 'reminder') {
    const { chain } = definition
    return { tag: 'reminder-bg', body, ...person, ...(chain.max > 0 && { chain }) }
  }
  return { tag: 'routine-bg', body, ...person, ...(definition.isPersistent && { session: 'persistent' }) }
}

/** Whoever starts it, it is the same job: it never overlaps itself, and what it does is on its account (JOB3). */
function byHand(definition: Definition, payload: JsonObject = {}): Asked {
  const { kind, body } = definition
  return kind === 'webhook' ? withData(definition, payload) : { tag: `${kind}-bg`, body }
}

/** What came from outside stands before the task, as data. */
function withData(definition: Webhook, payload: JsonObject): Asked {
  const { before, text } = webhookTask(definition, payload)
  return { tag: 'webhook', body: text, ...(before.length > 0 && { before }) }
}

interface Running {
  readonly file: string
  readonly asked: Asked
  readonly parts: JobParts
}

async function runOf(definition: Definition, { file, asked, parts }: Running): Promise<JobRead> {
  const wrongModel = modelProblem(definition.model, parts)
  if (wrongModel !== undefined) return { problem: `${file}: ${wrongModel}` }
  const skills = declaredIn(definition, parts.material.loaded())
  if ('problem' in skills) return { problem: `${file}: ${skills.problem}` }
  const { tag, chain } = asked
  const rights = { ...rightsOf(definition, skills), tag, ...(chain !== undefined && { chain }) }
  const { isLate, ...setup } = await setupFor(rights, skills, parts)
  if (parts.signal.aborted) return { problem: `${file}: mainstem closes, so it was not started.` }
  const job: RunAsked = {
    ...rights,
    ...setup,
    ...asked,
    job: definition.id,
    file,
    model: definition.model,
    thinking: definition.thinking,
    timeoutMs: parts.settings().runTimeoutMs,
    title: definition.description || shorten(oneLine(definition.body), TITLE_COLUMNS),
  }
  return { job, warnings: isLate ? [STOPPED] : [] }
}

const TITLE_COLUMNS = 60

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

function rightsOf(definition: Definition, skills: readonly Skill[]): Omit<Rights, 'tag' | 'chain'> {
  const { isolated, reporting, allowPing, tools } = definition
  return {
    isolated,
    reporting,
    allowPing,
    tools: [...new Set([...tools, ...skills.flatMap(({ allowedTools }) => allowedTools)])],
    skills: skills.map(({ name }) => name),
  }
}

/** What holds only when it is due. */
function byHandNotes(definition: Definition): string[] {
  const notes: string[] = []
  if (isForeground(definition))
    notes.push('When it is due it runs in the main session; started by hand, it runs in the background.')
  if (definition.kind === 'routine' && definition.isPersistent)
    notes.push('When it is due it goes on where it ended the last time; started by hand, it begins anew.')
  if (definition.person !== null) notes.push(`It is for ${definition.person}; started by hand, it is yours.`)
  return notes
}

/** A file that never becomes due has nothing to say about that. */
function isForeground(definition: Definition): boolean {
  if (definition.background) return false
  return definition.kind === 'routine' ? definition.cron !== null : definition.kind === 'reminder'
}
