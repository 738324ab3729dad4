import { getBranch } from '../../context/branch.ts'
import { livingChildren } from '../../context/living.ts'
import { jobText } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { Log } from '../../log/log.ts'
import { endSubtree, isAtWork } from '../step/end-subtree.ts'
import { firstWaiting } from '../state/inbox.ts'
import { nameOfRun } from '../state/jobs.ts'
import { type Run, runIn } from '../state/run.ts'
import { type TimedJob, isBroken, nameOf } from '../state/jobs.ts'
import type { Clock } from '../../base/clock.ts'

/** Ends persistent sessions of routines that are gone or no longer persistent. */
export class JobRests {
  readonly #log: Log
  readonly #now: Clock
  /** The files when nothing was left to end. Undefined: not known. */
  #looked: string | undefined

  constructor({ log, now }: { readonly log: Log; readonly now: Clock }) {
    this.#log = log
    this.#now = now
  }

  /** Returns whether any session ended. Looks only when the files have changed. */
  async end(jobs: readonly TimedJob[], broken: ReadonlySet<string>): Promise<boolean> {
    const kept = new Set(jobs.filter(isPersistent).map(({ definition }) => jobText(nameOf(definition))))
    const files = JSON.stringify([[...kept].toSorted(), [...broken].toSorted()])
    if (files === this.#looked) return false
    const { strays, resting } = await this.#log.read((reader) => {
      const strays = persistentRuns(reader).filter(
        (run) => !kept.has(jobText(nameOfRun(run))) && !isBroken(broken, run.file ?? ''),
      )
      return { strays, resting: strays.filter((run) => isIdle(reader, run)) }
    })
    if (resting.length > 0) {
      const [at, author] = [this.#now(), { by: 'policy', name: 'schedule' }] as const
      await this.#log.write((writing) => {
        const still = persistentRuns(writing).filter((run) => isIdle(writing, run))
        for (const { branch } of still)
          if (resting.some((run) => run.branch === branch))
            endSubtree(writing, { branch, at, reason: 'finished', author })
      })
    }
    // Sessions that still work are looked at again.
    this.#looked = resting.length < strays.length ? undefined : files
    return resting.length > 0
  }
}

function persistentRuns(reader: Reader): Run[] {
  const branches = livingChildren(reader, null).flatMap((main) => livingChildren(reader, main))
  return branches
    .filter((id) => getBranch(reader, id).state.kind !== 'ended')
    .flatMap((id) => runIn(reader, id) ?? [])
    .filter(({ session }) => session === 'persistent')
}

/** A person may talk to a session while it rests. */
function isIdle(reader: Reader, { branch, isResting }: Run): boolean {
  return isResting && !isAtWork(getBranch(reader, branch)) && firstWaiting(reader, branch) === undefined
}

function isPersistent({ definition }: TimedJob): boolean {
  return definition.kind === 'routine' && definition.isPersistent
}
