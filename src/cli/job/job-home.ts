import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { systemZone } from '../../base/environment.ts'
import { shorten } from '../../base/width.ts'
import type { When } from '../../view/jobs-text.ts'
import { readConfig } from '../../config/config.ts'
import type { JobKind } from '../../event/job.ts'
import type { Log } from '../../log/log.ts'
import { holderOf } from '../../log/writer-lock.ts'
import { emptyShelf, type JobShelf, type LoadedJob } from '../../schedule/job-shelf.ts'
import { problemText } from '../../schedule/read-definition.ts'
import { logFile, requireHome } from '../../runtime/home/home.ts'
import { openHomeJobs } from '../../runtime/home/home-jobs.ts'
import { agentSettings } from '../../runtime/home/live-config.ts'
import { prepareHome } from '../../runtime/home/workspace.ts'
import { CommandError, type CommandCall } from '../frame/command.ts'
import { meantWord } from '../frame/meant-word.ts'
import { openLog } from '../frame/open-log.ts'

/** What the files say of jobs, and what the log does, whoever else works there at the moment. */
export interface JobsHere {
  readonly shelf: JobShelf
  readonly log: Log
  readonly when: When
}

/** `look` makes nothing that is not there. */
export async function withJobs<T>(
  call: CommandCall,
  purpose: 'look' | 'make',
  work: (here: JobsHere) => Promise<T>,
): Promise<T> {
  const { home, err } = call
  if (purpose === 'make') prepareHome(home)
  else requireHome(home)
  const { zone } = agentSettings(readConfig(call).values, systemZone())
  const root = join(home, 'workspace')
  const warn = (text: string): void => void err.line(err.safe(`mainstem: Warning: ${text}`))
  const options = { root, now: systemClock, warn, watch: false, onChange: () => undefined }
  const shelf = existsSync(root) ? await openHomeJobs(options) : emptyShelf
  const log = openLog(home)
  try {
    return await work({ shelf, log, when: { now: systemClock(), zone } })
  } finally {
    await log.close()
  }
}

/** The job that a word names: its id, or its file. */
export function jobNamed({ shelf }: JobsHere, what: JobKind, word: string): LoadedJob {
  const id = word
    .replace(new RegExp(`^${what}s/`), '')
    .replace(/\.md$/i, '')
    .normalize('NFC')
  const own = shelf.jobs().filter(({ definition }) => definition.kind === what)
  const found =
    own.find(({ definition }) => definition.id === id) ??
    own.find(({ definition }) => definition.id.toLowerCase() === id.toLowerCase())
  if (found !== undefined) return found
  const wrong = shelf.problems().find(({ file }) => file === `${what}s/${id}.md`)
  if (wrong !== undefined)
    throw new CommandError(
      `The ${what} '${id}' cannot be used. ${problemText(wrong)} Mend that file, or delete it`,
    )
  const near = meantWord(
    id.slice(0, WORD_MAX).toLowerCase(),
    own.map(({ definition }) => definition.id),
  )
  const meant = near === undefined ? '.' : `; did you mean '${near}'?`
  throw new CommandError(
    `There is no ${what} '${shorten(id, WORD_MAX)}'${meant} 'mainstem ${what} list' lists them`,
  )
}

const WORD_MAX = 64

/** Those who start jobs when they are due. */
const FIRING: ReadonlySet<string> = new Set(['mainstem', 'mainstem chat', 'mainstem daemon'])

/** Whether a process is there that would fire a job, as far as the name beside the log tells. */
export function isAnybodyFiring(home: string): boolean {
  const holder = holderOf(logFile(home))
  return holder !== undefined && FIRING.has(holder.command) && isAlive(holder.pid)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
