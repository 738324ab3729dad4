import { getBranch } from '../../context/branch.ts'
import { livingChildren } from '../../context/living.ts'
import type { BranchId } from '../../event/id.ts'
import { jobText } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { Log, Writing } from '../../log/log.ts'
import { endSubtree, isAtWork } from '../step/end-subtree.ts'
import { firstWaiting } from '../state/inbox.ts'
import { nameOfRun } from '../state/jobs.ts'
import { type Run, runIn } from '../state/run.ts'
import { type TimedJob, isBroken, nameOf } from '../state/job-schedule.ts'
import type { Clock } from '../../base/clock.ts'

export interface Strays {
  /** Sessions that wait for a firing that never comes. */
  readonly resting: readonly BranchId[]
  /** Whether more of them will, once their work is done. */
  readonly isAnyAtWork: boolean
}

/** Persistent sessions of routines that are gone or no longer persistent. */
export function strays(reader: Reader, isKept: (run: Run) => boolean): Strays {
  const resting: BranchId[] = []
  let isAnyAtWork = false
  const mains = livingChildren(reader, null)
  for (const id of mains.flatMap((main) => livingChildren(reader, main))) {
    const run = runIn(reader, id)
    if (run?.session !== 'persistent' || getBranch(reader, id).state.kind === 'ended' || isKept(run)) continue
    if (isIdle(reader, run)) resting.push(id)
    else isAnyAtWork = true
  }
  return { resting, isAnyAtWork }
}

/** Ends a session, if it still rests. */
export function endRest(
  writing: Writing,
  { branch, at }: { readonly branch: BranchId; readonly at: number },
): void {
  const run = runIn(writing, branch)
  if (run === undefined || getBranch(writing, branch).state.kind === 'ended' || !isIdle(writing, run)) return
  endSubtree(writing, { branch, at, reason: 'finished', author: { by: 'policy', name: 'schedule' } })
}

/** A person may talk to a session while it rests. */
function isIdle(reader: Reader, { branch, isResting }: Run): boolean {
  return isResting && !isAtWork(getBranch(reader, branch)) && firstWaiting(reader, branch) === undefined
}

export function jobOfRun(run: Run): string {
  return jobText(nameOfRun(run))
}

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
