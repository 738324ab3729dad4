import { endRest, jobOfRun, strays } from './job-rests.ts'
import { isBroken, nameOf, type TimedJob } from '../state/job-schedule.ts'
import type { Clock } from '../../base/clock.ts'
import { jobText } from '../../event/job.ts'
import type { Log } from '../../log/log.ts'

/** Ends the sessions of routines that are gone, or that begin anew each time by now. */
export class JobRests {
  readonly #log: Log
  readonly #now: Clock
  /** Files for which nothing is left to end; undefined: nobody knows. */
  #looked: string | undefined

  constructor({ log, now }: { readonly log: Log; readonly now: Clock }) {
    this.#log = log
    this.#now = now
  }

  /** Whether any did. Looks only where the files are others than before. */
  async end(jobs: readonly TimedJob[], broken: ReadonlySet<string>): Promise<boolean> {
    const kept = new Set(jobs.filter(isPersistent).map(({ definition }) => jobText(nameOf(definition))))
    const files = JSON.stringify([[...kept].toSorted(), [...broken].toSorted()])
    if (files === this.#looked) return false
    const { resting, isAnyAtWork } = await this.#log.read((reader) =>
      strays(reader, (run) => kept.has(jobOfRun(run)) || isBroken(broken, run.file ?? '')),
    )
    if (resting.length > 0) {
      const at = this.#now()
      await this.#log.write((writing) => resting.forEach((branch) => endRest(writing, { branch, at })))
    }
    this.#looked = isAnyAtWork ? undefined : files
    return resting.length > 0
  }
}

function isPersistent({ definition }: TimedJob): boolean {
  return definition.kind === 'routine' && definition.isPersistent
}
