import type { JobName } from '../event/job.ts'
import type { Definition } from './definition.ts'
import type { DefinitionProblem } from './read-definition.ts'

/** A definition as it was read from its file. */
export interface LoadedJob {
  readonly definition: Definition
  /** From the workspace: `routines/morning-brief.md`. */
  readonly file: string
  /** When the file was changed last, as the disk says. */
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
   * job is never taken. Rejects with an UnwritableDefinition, or a PathError where the disk refuses it.
   */
  write(definition: Definition): Promise<string>
  /** False: there was none. */
  remove(file: string): Promise<boolean>
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
