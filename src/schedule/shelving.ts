import { createHash } from 'node:crypto'
import { splitFrontMatter } from '../base/front-matter.ts'
import type { Definition } from './definition.ts'
import type { JobKind } from '../event/job.ts'
import type { LoadedJob } from './job-shelf.ts'
import { readDefinition, type DefinitionFile, type DefinitionProblem } from './read-definition.ts'

/** The result of reading a job file. */
export type Shelved =
  | { readonly job: LoadedJob; readonly idLine: number }
  | { readonly problem: DefinitionProblem }

export async function shelved(given: DefinitionFile & { readonly changedAt: number }): Promise<Shelved> {
  const { file, changedAt } = given
  const read = await readDefinition(given, { due: 'required' })
  if ('problem' in read) return read
  return { job: { file, changedAt, ...read }, idLine: idLine(given.text) }
}

/** The line with the file's id. Line 1 if the file's name is the id. */
function idLine(text: string): number {
  const lines = (splitFrontMatter(text).matter ?? '').split('\n')
  const found = lines.findIndex((line) => /^["']?id["']?\s*:/.test(line))
  return found < 0 ? 1 : found + 2
}

export interface Sorted {
  readonly jobs: readonly LoadedJob[]
  readonly problems: readonly DefinitionProblem[]
}

/** Of two files with one id, the first by name is used. */
export function sortShelf(files: readonly Shelved[]): Sorted {
  const jobs = new Map<string, LoadedJob>()
  const problems: DefinitionProblem[] = []
  const inOrder = files.toSorted((a, b) => (fileOf(a) < fileOf(b) ? -1 : 1))
  for (const one of inOrder) {
    if ('problem' in one) {
      problems.push(one.problem)
      continue
    }
    const { kind, id } = one.job.definition
    const other = jobs.get(`${kind} ${id}`)
    if (other === undefined) jobs.set(`${kind} ${id}`, one.job)
    else {
      const reason = `${other.file} is the ${kind} '${id}' already. Change the id: here, or remove one of the two files.`
      problems.push({ file: one.job.file, line: one.idLine, reason })
    }
  }
  return { jobs: [...jobs.values()], problems }
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
