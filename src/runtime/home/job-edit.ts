import { sentence } from '../../base/words.ts'
import { findJob, type JobShelf } from '../../schedule/job-shelf.ts'
import { readDefinition, type DefinitionFile } from '../../schedule/read-definition.ts'
import { PathError } from '../../tool/files/path.ts'
import { workspaceIn } from './workspace.ts'
import { isJobPath } from './home-jobs.ts'

/** The definition in a text, or what is wrong with it. The id of another job is wrong too. */
export async function checkJobFile(shelf: Pick<JobShelf, 'jobs'>, given: DefinitionFile) {
  if (!isJobPath(given.file))
    return wrong(`'${given.file}' is not the name of a job file. Write one such as routines/brief.md.`)
  const read = await readDefinition(given, { due: 'required' })
  if ('problem' in read) return { problem: { line: read.problem.line, reason: read.problem.reason } }
  const { kind, id } = read.definition
  const other = findJob(shelf, { what: kind, job: id })
  return other === undefined || other.file === given.file
    ? read
    : wrong(`${other.file} is the ${kind} '${id}' already. Choose another name.`)
}

function wrong(reason: string) {
  return { problem: { line: 1, reason } }
}

export interface JobEdit {
  readonly file: string
  /** The text that the person saw; null: no file. */
  readonly before: string | null
  /** Null: the file is deleted. */
  readonly after: string | null
}

/**
 * Changes a job file as a person does in an editor, unless it has changed since they saw it. Asked again after it was
 * done, it does nothing more. Returns why nothing was changed, if so.
 */
export async function editJobFile(
  { home, shelf }: { readonly home: string; readonly shelf: JobShelf },
  { file, before, after }: JobEdit,
): Promise<{ readonly problem: string; readonly isOvertaken: boolean } | undefined> {
  const read = after === null ? undefined : await checkJobFile(shelf, { file, text: after })
  if (read !== undefined && 'problem' in read)
    return { problem: `Line ${read.problem.line}: ${sentence(read.problem.reason)}`, isOvertaken: false }
  const workspace = workspaceIn(home)
  let found: string | null = null
  try {
    if (!isJobPath(file)) return { problem: `'${file}' is not a job file.`, isOvertaken: false }
    if (after === null)
      await workspace.remove(file, (text) => {
        found = text ?? null
        return text === before
      })
    else
      await workspace.change(file, async ({ before: text }) => {
        found = text ?? null
        return found === before ? after : undefined
      })
  } catch (error) {
    if (error instanceof PathError) return { problem: sentence(error.message), isOvertaken: false }
    throw error
  }
  await shelf.refresh()
  return found === before || found === after ? undefined : { problem: overtaken(file), isOvertaken: true }
}

function overtaken(file: string): string {
  return `${file} was changed meanwhile, and that change would be lost. Look at it again, then save.`
}
