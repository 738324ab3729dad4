import { Again } from '../../base/again.ts'
import type { Clock } from '../../base/clock.ts'
import type { HookSecrets } from '../../config/hook-secret.ts'
import type { Definition } from '../../schedule/definition.ts'
import { findJob, JobTakenError, type JobShelf, type LoadedJob } from '../../schedule/job-shelf.ts'
import { readDefinition, type DefinitionFile } from '../../schedule/read-definition.ts'
import { filesFor, folderOf } from '../../schedule/shelving.ts'
import { definitionText } from '../../schedule/write-definition.ts'
import { PathError } from '../../tool/files/path.ts'
import { openWorkspace, type Workspace } from '../../tool/files/workspace.ts'
import { watchFolders } from './folder-watch.ts'
import { hashOf } from './read-job-file.ts'
import { FILES_MAX, isJobName, JOB_FOLDERS, jobFiles, type JobFiles } from './job-folders.ts'

export interface HomeJobsOptions {
  /** The workspace. */
  readonly root: string
  readonly now: Clock
  readonly secrets: HookSecrets
  readonly warn: (text: string) => void
  /** Called when jobs or problems change, but not for those found at the start. */
  readonly onChange: () => void
  /** False: for one look, which reports problems at once. */
  readonly watch: boolean
  /** Called for a bug in the background work. */
  readonly fail?: (error: unknown) => void
  readonly times?: Partial<typeof TIMES>
}

const TIMES = {
  /** How long a file must be wrong before it is reported. */
  brokenMs: 2_000,
  /** Changes come in bursts. */
  settleMs: 150,
  /** Finds changes that watching missed. */
  lookMs: 60_000,
  /** Where watching does not work. */
  pollMs: 5_000,
}

export type HomeJobs = JobShelf & { close(): Promise<void> }

/** The routines, reminders and webhooks of a workspace, read from their files. */
export async function openHomeJobs(options: HomeJobsOptions): Promise<HomeJobs> {
  const { root, now, secrets, warn, watch } = options
  const times = { ...TIMES, ...options.times }
  const workspace = openWorkspace(root)
  const files = jobFiles({ workspace, root, now, secrets, warn, brokenMs: watch ? times.brokenMs : 0 })
  const shelf = { jobs: () => files.sorted().jobs, problems: () => files.sorted().problems }
  // Jobs found at the start are not a change.
  let isOpen = false
  const change = (): void => {
    if (isOpen) options.onChange()
  }
  const looks = new Again(async () => {
    if (await files.look()) change()
  })
  // Watch before the first look, or a change in between would be missed.
  const keeping = watch ? keepLooking({ ...options, times, looks, lookAt: () => files.lookAt() }) : undefined
  await looks.ask()
  isOpen = true
  keeping?.begin()
  let lastWrite: Promise<unknown> = Promise.resolve()
  return {
    ...shelf,
    refresh: () => looks.ask(),
    write: (definition, { isNew } = { isNew: false }) => {
      const written = lastWrite.then(() => writeJob(definition, { workspace, files, shelf, looks, isNew }))
      lastWrite = written.catch(() => undefined)
      return written
    },
    remove: async (file) => {
      const hash = files.hashOf(file)
      if (!isJobPath(file) || hash === undefined) return false
      const isGone = await workspace.remove(file, (text) => text !== undefined && hashOf(text) === hash)
      // A look in progress may have read it already.
      if (isGone) await looks.settled()
      else await looks.ask()
      if (isGone && files.forget(file)) change()
      return isGone
    },
    close: async () => {
      isOpen = false
      keeping?.close()
      await lastWrite
      await looks.close()
    },
  }
}

/** Looks after changes, when a file has been wrong for long enough, and from time to time. */
function keepLooking(
  given: Pick<HomeJobsOptions, 'root' | 'now' | 'fail'> & {
    readonly times: typeof TIMES
    readonly looks: Again
    readonly lookAt: () => number | undefined
  },
) {
  const { root, now, times, looks, lookAt, fail } = given
  let soon: NodeJS.Timeout | undefined
  let later: NodeJS.Timeout | undefined
  let isClosed = false
  // Later changes don't postpone it: a file that is written all the time would block all others.
  const stirred = (): void => {
    if (!isClosed) soon ??= setTimeout(look, times.settleMs).unref()
  }
  const watching = watchFolders({ root, folders: JOB_FOLDERS, matters: isJobName, onChange: stirred })
  let isWatched = watching.heal()
  const rest = (): void => {
    clearTimeout(later)
    const usual = isWatched ? times.lookMs : times.pollMs
    const ms = Math.min(usual, Math.max(1, (lookAt() ?? Number.POSITIVE_INFINITY) - now()))
    if (!isClosed) later = setTimeout(look, ms).unref()
  }
  const look = (): void => {
    soon = undefined
    isWatched = watching.heal()
    looks.ask().then(rest, (error: unknown) => fail?.(error))
  }
  return {
    begin: rest,
    close: () => {
      isClosed = true
      clearTimeout(soon)
      clearTimeout(later)
      watching.close()
    },
  }
}

interface WritingParts {
  readonly workspace: Workspace
  readonly files: JobFiles
  readonly shelf: Pick<JobShelf, 'jobs'>
  readonly looks: Again
  /** Throws a JobTakenError if there is such a job, also one that another process wrote meanwhile. */
  readonly isNew: boolean
}

async function writeJob(definition: Definition, parts: WritingParts): Promise<string> {
  const { workspace, files, shelf, looks, isNew } = parts
  const { kind, id } = definition
  const text = await definitionText(definition)
  await looks.ask()
  const known = findJob(shelf, { what: kind, job: id })
  if (known === undefined) refuseCrowd(files, folderOf(kind))
  else if (isNew) throw new JobTakenError(definition, known.file)
  for (const file of namesFor(definition, known)) {
    let state = 'other' as 'free' | 'ours' | 'other'
    await workspace.change(file, async ({ before }) => {
      // Another process may have written it since: its current content counts.
      if (before === undefined) state = 'free'
      else state = (await isOf(definition, { file, text: before })) ? 'ours' : 'other'
      return state === 'free' || (state === 'ours' && !isNew) ? text : undefined
    })
    if (state === 'ours' && isNew) throw new JobTakenError(definition, file)
    if (state === 'other') continue
    await looks.ask()
    return file
  }
  throw new Error('there is always another name for a file')
}

function* namesFor(definition: Definition, known: LoadedJob | undefined): Generator<string> {
  if (known !== undefined) yield known.file
  yield* filesFor(definition)
}

function refuseCrowd(files: JobFiles, folder: string): void {
  if (files.count(folder) < FILES_MAX) return
  throw new PathError(
    `${folder} already has ${FILES_MAX} files, the most that are read. Remove some you don't need.`,
  )
}

async function isOf({ kind, id }: Definition, given: DefinitionFile): Promise<boolean> {
  const read = await readDefinition(given, { kind, due: 'optional' })
  return 'definition' in read && read.definition.id === id
}

export function isJobPath(file: string): boolean {
  const [folder = '', name = '', ...more] = file.split('/')
  return JOB_FOLDERS.includes(folder) && isJobName(name) && more.length === 0
}
