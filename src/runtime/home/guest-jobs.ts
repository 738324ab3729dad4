import type { Definition } from '../../schedule/definition.ts'
import type { JobShelf, LoadedJob } from '../../schedule/job-shelf.ts'
import { openHomeJobs, type HomeJobs, type HomeJobsOptions } from './home-jobs.ts'

/**
 * The routines and reminders in a guest's folder, which are always theirs. A guest has no webhooks. Not watched: only
 * Mainstem writes there.
 */
export async function openGuestJobs(
  options: Omit<HomeJobsOptions, 'watch'>,
  person: string,
): Promise<HomeJobs> {
  const shelf = await openHomeJobs({ ...options, watch: false })
  const prefix = `${person}/`
  // The scheduler compares jobs by identity.
  const known = new WeakMap<LoadedJob, LoadedJob>()
  const owned = (job: LoadedJob): LoadedJob => {
    const own = known.get(job) ?? { ...job, definition: { ...named(job.definition, prefix), person } }
    known.set(job, own)
    return own
  }
  return {
    ...shelf,
    prefix,
    jobs: () =>
      shelf
        .jobs()
        .filter(({ definition }) => definition.kind !== 'webhook')
        .map(owned),
    write: (definition, how) => shelf.write(unnamed(definition, prefix), how),
  }
}

function named(definition: Definition, prefix: string): Definition {
  const id = `${prefix}${definition.id}`
  if (definition.kind !== 'reminder') return { ...definition, id }
  const { chain } = definition
  return { ...definition, id, chain: { ...chain, parent: `${prefix}${chain.parent}` } }
}

/** As its file says it. */
function unnamed(definition: Definition, prefix: string): Definition {
  const plain = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name)
  const id = plain(definition.id)
  if (definition.kind !== 'reminder') return { ...definition, id, person: null }
  const { chain } = definition
  return { ...definition, id, person: null, chain: { ...chain, parent: plain(chain.parent) } }
}

/** The owner's jobs and those of all guests, whose files are named from the home: for the scheduler. */
export function allJobs(owners: JobShelf, guests: () => ReadonlyMap<string, JobShelf>): JobShelf {
  const known = new WeakMap<LoadedJob, LoadedJob>()
  const placed = (job: LoadedJob, folder: string): LoadedJob => {
    const one = known.get(job) ?? { ...job, file: `${folder}/${job.file}` }
    known.set(job, one)
    return one
  }
  return {
    // Problems of guests' files are theirs to see.
    ...owners,
    jobs: () => [
      ...owners.jobs(),
      ...[...guests()].flatMap(([folder, shelf]) => shelf.jobs().map((job) => placed(job, folder))),
    ],
    refresh: async () => {
      await Promise.all([owners, ...guests().values()].map((shelf) => shelf.refresh()))
    },
    remove: (file) => {
      const [folder, shelf] = [...guests()].find(([one]) => file.startsWith(`${one}/`)) ?? []
      return folder === undefined || shelf === undefined
        ? owners.remove(file)
        : shelf.remove(file.slice(folder.length + 1))
    },
  }
}
