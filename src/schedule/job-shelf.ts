import type { JobName } from '../event/job.ts'
import type { Definition } from './definition.ts'
import type { DefinitionProblem } from './read-definition.ts'

/** A definition as it was read from its file. */
export interface LoadedJob {
  readonly definition: Definition
  /** From the workspace: `routines/morning-brief.md`. */
  readonly file: string
  /** When the file last changed or was moved here, according to the disk. */
  readonly changedAt: number
  readonly warnings: readonly string[]
}

/** The jobs that the files of the workspace define, as they were read last. */
export interface JobShelf {
  /** How the ids of its jobs begin, so that no two people have a job of one name: `anna/`. Left out: '', the owner's. */
  readonly prefix?: string
  /** Jobs that can be used. Of two files with one id, the first by name counts. */
  jobs(): readonly LoadedJob[]
  problems(): readonly DefinitionProblem[]
  /** Reads changed files. Resolves when `jobs` matches the disk. */
  refresh(): Promise<void>
  /**
   * Writes the file of a job, as a whole or not at all, reads it back and returns its path in the workspace. Never takes
   * the file of another job. Rejects with an UnwritableDefinition, with a PathError if the disk refuses it, or, for a new
   * job, with a JobTakenError if there is one with that id by now.
   */
  write(definition: Definition, how?: { readonly isNew: boolean }): Promise<string>
  /**
   * Removes the file if it is the version that was read last; a newer one stays, and is read. False: there was none, or
   * it has changed. Refresh first to cancel what a person sees.
   */
  remove(file: string): Promise<boolean>
}

/** Another job has that id. */
export class JobTakenError extends Error {
  override readonly name = 'JobTakenError'

  constructor({ kind, id }: Pick<Definition, 'kind' | 'id'>, file: string) {
    super(`${file} is the ${kind} '${id}' already.`)
  }
}

export function findJob(shelf: Pick<JobShelf, 'jobs'>, { what, job }: JobName): LoadedJob | undefined {
  return shelf.jobs().find(({ definition: { kind, id } }) => kind === what && id === job)
}

/** For a home without a workspace. */
export const emptyShelf: JobShelf = {
  jobs: () => [],
  problems: () => [],
  refresh: async () => undefined,
  write: () => Promise.reject(new TypeError('there is no folder to write jobs to')),
  remove: async () => false,
}
