import { relative, resolve, sep } from 'node:path'
import type { JobRead, RunAsked } from '../../agent/run/run-act.ts'
import { modelNamed } from '../../agent/contract/world.ts'
import type { JsonObject } from '../../base/json.ts'
import { meantText, nearest } from '../../base/nearest.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { sentence } from '../../base/words.ts'
import { ModelError } from '../../model/contract/model.ts'
import type { Definition, Webhook } from '../../schedule/definition.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { checkPayload } from '../../schedule/payload-check.ts'
import { problemText, readDefinition, type DefinitionFile } from '../../schedule/read-definition.ts'
import { webhookTask } from '../../schedule/webhook-task.ts'
import type { LoadedSkills, Skill } from '../../skill/skill.ts'
import { PathError } from '../../tool/files/path.ts'
import { isJobPath } from '../home/home-jobs.ts'
import { setupFor, STOPPED, type JobParts, type Rights } from './job-setup.ts'

export function jobReader(given: Omit<JobParts, 'signal'>) {
  const closing = new AbortController()
  const parts = { ...given, signal: closing.signal }
  const readings = new Set<Promise<JobRead>>()
  const kept = (reading: Promise<JobRead>): Promise<JobRead> => {
    readings.add(reading)
    return reading.finally(() => readings.delete(reading))
  }
  return {
    /** By hand; the data is for a webhook. */
    inWorkspace: (path: string, payload?: JsonObject) => kept(jobIn(path, parts, payload)),
    of: (file: DefinitionFile, payload?: JsonObject) => kept(jobOf(file, parts, payload)),
    /** Because it is due. */
    due: (loaded: LoadedJob, payload?: JsonObject) => kept(jobFor(loaded, parts, payload)),
    /** Stops whatever still reads a job, and waits for it. */
    close: async () => {
      closing.abort()
      await Promise.allSettled(readings)
    },
  }
}

/** Reads a job from a file of the workspace. */
export async function jobIn(path: string, parts: JobParts, payload?: JsonObject): Promise<JobRead> {
  const { root, read } = parts.workspace
  try {
    const text = await read(path)
    const file = path.replace(/^\.\//, '')
    // Outside the folders of jobs a model may have written it.
    const isOurs = isJobPath(relative(root, resolve(root, path)).replaceAll(sep, '/'))
    if (text !== undefined) return await jobByHand({ file, text }, { parts, payload, isOurs })
    return { problem: `There is no file ${path} in the workspace, ${root}.` }
  } catch (error) {
    if (error instanceof PathError) return { problem: error.message }
    throw error
  }
}

/** Reads a job whose file somebody on this machine hands over. */
export function jobOf(file: DefinitionFile, parts: JobParts, payload?: JsonObject): Promise<JobRead> {
  return jobByHand(file, { parts, payload, isOurs: true })
}

/** Reads a job that is started by hand. A job that could not work is not started. */
async function jobByHand(
  file: DefinitionFile,
  { parts, payload, isOurs }: { parts: JobParts; payload: JsonObject | undefined; isOurs: boolean },
): Promise<JobRead> {
  const read = await readDefinition(file, { due: 'optional' })
  if ('problem' in read) return { problem: problemText(read.problem) }
  const { definition, warnings } = read
  // A webhook without data has empty data, which its schema may refuse.
  const data = payload ?? (definition.kind === 'webhook' ? {} : undefined)
  const misfit = data && (await dataProblem(definition, data))
  if (misfit !== undefined) return { problem: `${file.file}: ${misfit}` }
  const found = await runOf(definition, { file: file.file, start: byHand(definition, isOurs, data), parts })
  if ('problem' in found) return found
  return { job: found.job, warnings: [...warnings, ...found.warnings, ...byHandNotes(definition)] }
}

/** Why it cannot take this data; undefined: it can. */
async function dataProblem(definition: Definition, payload: JsonObject): Promise<string | undefined> {
  if (definition.kind !== 'webhook') return 'only a webhook takes data.'
  const checked = await checkPayload(definition, payload)
  return 'problems' in checked ? checked.problems.join(' ') : undefined
}

/** Reads a job that is due and runs in the background. A job that could not work is not started. */
export async function jobFor(
  { definition, file, warnings }: LoadedJob,
  parts: JobParts,
  payload: JsonObject = {},
): Promise<JobRead> {
  const found = await runOf(definition, { file, start: whenDue(definition, payload), parts })
  return 'problem' in found ? found : { job: found.job, warnings: [...warnings, ...found.warnings] }
}

type Start = Pick<RunAsked, 'tag' | 'body' | 'before' | 'person' | 'chain' | 'session' | 'isByModel'>

function whenDue(definition: Definition, payload: JsonObject): Start {
  const { kind, body } = definition
  const person = definition.person === null ? {} : { person: definition.person }
  if (kind === 'webhook') return { ...withData(definition, payload), ...person }
  if (kind === 'reminder') {
    const { chain, isByModel } = definition
    return {
      tag: 'reminder-bg',
      body,
      ...person,
      ...(chain.max > 0 && { chain }),
      ...(isByModel && { isByModel }),
    }
  }
  return { tag: 'routine-bg', body, ...person, ...(definition.isPersistent && { session: 'persistent' }) }
}

/** Started by hand it is still the same job: it never overlaps itself, and its pings count for it (JOB3). */
function byHand(definition: Definition, isOurs: boolean, payload: JsonObject = {}): Start {
  const { kind, body } = definition
  const isByModel = !isOurs || (kind === 'reminder' && definition.isByModel)
  const by = isByModel && { isByModel }
  if (kind === 'webhook') return { ...withData(definition, payload), ...by }
  return { tag: `${kind}-bg`, body, ...by }
}

/** Data from outside goes before the task. */
function withData(definition: Webhook, payload: JsonObject): Start {
  const { before, text } = webhookTask(definition, payload)
  return { tag: 'webhook', body: text, ...(before.length > 0 && { before }) }
}

async function runOf(
  definition: Definition,
  { file, start, parts }: { file: string; start: Start; parts: JobParts },
): Promise<JobRead> {
  const wrongModel = modelProblem(definition.model, parts)
  if (wrongModel !== undefined) return { problem: `${file}: ${wrongModel}` }
  const skills = declaredIn(definition, parts.material.loaded())
  if ('problem' in skills) return { problem: `${file}: ${skills.problem}` }
  const { tag, chain } = start
  // Not those of its skills: nobody approved them as addresses (LEAVE1).
  const named = start.isByModel === true ? [] : definition.tools.filter((pattern) => pattern.includes('('))
  const rights = { ...rightsOf(definition, skills), tag, ...(chain !== undefined && { chain }) }
  const { isLate, ...setup } = await setupFor(rights, skills, parts)
  if (parts.signal.aborted) return { problem: `${file}: not started, because mainstem is shutting down.` }
  const job: RunAsked = {
    ...rights,
    ...setup,
    ...start,
    ...(named.length > 0 && { named }),
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

/** Why the model of a job cannot be used; undefined: it can. */
export function modelProblem(
  name: string | null,
  { openModel }: Pick<JobParts, 'openModel'>,
): string | undefined {
  const model = name === null ? null : modelNamed({ model: openModel }, name)
  return model instanceof ModelError ? `its model cannot be used: ${sentence(model.message)}` : undefined
}

function declaredIn(
  { skills: names }: Definition,
  { skills, reports }: LoadedSkills,
): readonly Skill[] | { readonly problem: string } {
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
  return `it needs the skill '${name}', and there is none of that name${meantText(near)} /skills lists them.`
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

/** Settings that only apply when the job is due. */
function byHandNotes(definition: Definition): string[] {
  const notes: string[] = []
  if (isForeground(definition))
    notes.push('When it is due it runs in the main session; started by hand, it runs in the background.')
  if (definition.kind === 'routine' && definition.isPersistent)
    notes.push('When it is due it goes on where it ended the last time; started by hand, it begins anew.')
  if (definition.person !== null) notes.push(`It is for ${definition.person}; started by hand, it is yours.`)
  return notes
}

function isForeground(definition: Definition): boolean {
  if (definition.background) return false
  return definition.kind === 'routine' ? definition.cron !== null : definition.kind === 'reminder'
}
