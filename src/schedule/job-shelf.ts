import type { JobName } from '../event/job.ts'
import type { Definition } from './definition.ts'
import type { DefinitionProblem } from './read-definition.ts'

/** A definition as it was read from its file. */
export interface LoadedJob {
  readonly definition: Definition
  /** From the workspace: `routines/morning-brief.md`. */
  readonly file: string
  /** When the file was changed last or came here, as the disk says. */
  readonly changedAt: number
  readonly warnings: readonly string[]
}

/** The jobs that the files of the workspace define, as they were read last. */
export interface JobShelf {
  /** Those that can be used; of two with one id the first file, by its name. */
  jobs(): readonly LoadedJob[]
  problems(): readonly DefinitionProblem[]
  /** Reads what has changed; resolves when `jobs` is what the disk has. */
  refresh(): Promise<void>
  /**
   * Writes the file of a job, as a whole or not at all, and reads it; its path from the workspace. The file of another
   * job is never taken. Rejects with an UnwritableDefinition, a PathError where the disk refuses it, or, where it is to be
   * new, a JobTakenError if there is such a job already, whoever has made it since the last look.
   */
  write(definition: Definition, how?: { readonly isNew: boolean }): Promise<string>
  /**
   * Takes the file away as it was read: a version that nobody has read yet stays, and is read. False: there was none, or
   * it is another by now. Whoever cancels what a person sees refreshes first.
   */
  remove(file: string): Promise<boolean>
}

/** Somebody else's job has that id. */
export class JobTakenError extends Error {
  override readonly name = 'JobTakenError'

  constructor({ kind, id }: Pick<Definition, 'kind' | 'id'>, file: string) {
    super(`${file} is the ${kind} '${id}' already.`)
  }
}

export function findJob(shelf: Pick<JobShelf, 'jobs'>, { what, job }: JobName): LoadedJob | undefined {
  return shelf.jobs().find(({ definition: { kind, id } }) => kind === what && id === job)
}

/** Where there is no workspace to look at. */
export const emptyShelf: JobShelf = {
  jobs: () => [],
  problems: () => [],
  refresh: async () => undefined,
  write: () => Promise.reject(new TypeError('there is no folder to write jobs to')),
  remove: async () => false,
}
