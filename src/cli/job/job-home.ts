import { meantText } from '../../base/nearest.ts'
import { systemClock } from '../../base/clock.ts'
import { shorten } from '../../base/width.ts'
import type { Place } from '../../base/time-text.ts'
import type { JobKind } from '../../event/job.ts'
import type { Log } from '../../log/log.ts'
import { readOwner } from '../../owner/owner-file.ts'
import type { JobShelf, LoadedJob } from '../../schedule/job-shelf.ts'
import { problemText } from '../../schedule/read-definition.ts'
import { requireHome } from '../../runtime/home/home.ts'
import { prepareHome } from '../../runtime/home/workspace.ts'
import { CommandError, type CommandCall } from '../frame/command.ts'
import { meantWord } from '../frame/meant-word.ts'
import { openLog, openShelf, settingsOf, withLog } from '../frame/home.ts'

/** The jobs of a home: their files and the log. */
export interface JobsHere {
  readonly shelf: JobShelf
  readonly log: Log
  readonly when: Place
}

/** `look` creates nothing. */
export async function withJobs<T>(
  call: CommandCall,
  purpose: 'look' | 'make',
  work: (here: JobsHere) => Promise<T>,
): Promise<T> {
  const { home, err } = call
  if (purpose === 'make') prepareHome(home)
  else requireHome(home)
  const { zone } = settingsOf(call)
  const shelf = await openShelf(call, (text) => void err.line(`mainstem: Warning: ${text}`))
  return withLog(openLog(home), (log) => work({ shelf, log, when: { now: systemClock(), zone } }))
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
      `The ${what} '${id}' cannot be used. ${problemText(wrong)} Fix or delete that file`,
    )
  const near = meantWord(
    id.slice(0, WORD_MAX).toLowerCase(),
    own.map(({ definition }) => definition.id),
  )
  throw new CommandError(
    `There is no ${what} '${shorten(id, WORD_MAX)}'${meantText(near)} 'mainstem ${what} list' lists them`,
  )
}

const WORD_MAX = 64

/** Whether a process is running that starts due jobs: every owner that others can attach to does. */
export function isAnybodyFiring(home: string): boolean {
  const owner = readOwner(home)
  return owner !== undefined && isAlive(owner.pid)
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
