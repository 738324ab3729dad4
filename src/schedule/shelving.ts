import { createHash } from 'node:crypto'
import { splitFrontMatter } from '../base/front-matter.ts'
import type { Definition } from './definition.ts'
import { isStrongSecret, SECRET_CHARS_MIN, type HookSecrets } from '../config/hook-secret.ts'
import type { JobKind } from '../event/job.ts'
import type { LoadedJob } from './job-shelf.ts'
import { readDefinition, type DefinitionFile, type DefinitionProblem } from './read-definition.ts'

/** The result of reading a job file. */
export type Shelved =
  | { readonly job: LoadedJob; readonly lineOf: Readonly<Record<'id' | 'secret', number>> }
  | { readonly problem: DefinitionProblem }

export async function shelved(given: DefinitionFile & { readonly changedAt: number }): Promise<Shelved> {
  const { file, changedAt } = given
  const read = await readDefinition(given, { due: 'required' })
  if ('problem' in read) return read
  const lines = (splitFrontMatter(given.text).matter ?? '').split('\n')
  // Line 1 if there is none: the name of the file may be the id.
  const lineOf = (key: RegExp): number => Math.max(lines.findIndex((line) => key.test(line)) + 2, 1)
  return {
    job: { file, changedAt, ...read },
    lineOf: { id: lineOf(/^["']?id["']?\s*:/), secret: lineOf(/^["']?secret[-_]env["']?\s*:/) },
  }
}

export interface Sorted {
  readonly jobs: readonly LoadedJob[]
  readonly problems: readonly DefinitionProblem[]
}

/** Of two files with one id, the first by name is used. A webhook whose secret is missing or weak is not used. */
export function sortShelf(files: readonly Shelved[], secrets?: HookSecrets): Sorted {
  const jobs = new Map<string, LoadedJob>()
  const problems: DefinitionProblem[] = []
  const inOrder = files.toSorted((a, b) => (fileOf(a) < fileOf(b) ? -1 : 1))
  for (const one of inOrder) {
    const problem = 'problem' in one ? one.problem : secrets && secretProblem(one, secrets)
    if (problem !== undefined) problems.push(problem)
    if ('problem' in one || problem !== undefined) continue
    const { kind, id } = one.job.definition
    const other = jobs.get(`${kind} ${id}`)
    if (other === undefined) jobs.set(`${kind} ${id}`, one.job)
    else {
      const reason = `${other.file} is the ${kind} '${id}' already. Change the id: here, or remove one of the two files.`
      problems.push({ file: one.job.file, line: one.lineOf.id, reason })
    }
  }
  return { jobs: [...jobs.values()], problems }
}

function secretProblem(
  { job: { definition, file }, lineOf }: Extract<Shelved, { readonly job: unknown }>,
  secrets: HookSecrets,
): DefinitionProblem | undefined {
  const name = definition.kind === 'webhook' ? definition.secretEnv : null
  const secret = name === null ? undefined : secrets(name)
  if (name === null || (secret !== undefined && isStrongSecret(secret))) return undefined
  const what = secret === undefined ? 'is not set' : `needs at least ${SECRET_CHARS_MIN} characters`
  const how = `Set it to a long random text, in the environment of mainstem or in the file .env of its home`
  return { file, line: lineOf.secret, reason: `the secret ${name} ${what}. ${how}.` }
}

function fileOf(one: Shelved): string {
  return 'problem' in one ? one.problem.file : one.job.file
}

export function folderOf(kind: JobKind): string {
  return `${kind}s`
}

/** Possible files for a job, the best first. Not every id is a valid file name everywhere. */
export function* filesFor({ kind, id }: Pick<Definition, 'kind' | 'id'>): Generator<string> {
  const isSafe = SAFE.test(id) && !DEVICE.test(id)
  const name = isSafe ? id : `${plainWords(id)}${createHash('sha256').update(id).digest('hex').slice(0, 8)}`
  yield `${folderOf(kind)}/${name}.md`
  for (let count = 2; ; count++) yield `${folderOf(kind)}/${name}-${count}.md`
}

const SAFE = /^[a-z\d][\w.-]*$/i
/** Windows takes these for devices, whatever their extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** `übung` → `ubung-` */
function plainWords(id: string): string {
  const words = id
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z\d]+/gi, '-')
    .replaceAll(/^-|-$/g, '')
  return words === '' ? '' : `${words}-`
}
