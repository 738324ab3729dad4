import { getBranch, type Branch } from '../../context/branch.ts'
import type { BranchId } from '../../event/id.ts'
import type { JobName } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import { askedIn, isForPeople, isPassedOn, openingOf } from '../state/asker.ts'
import { nameOfRun } from '../state/jobs.ts'
import { runAbove, type Run } from '../state/run.ts'
import { mainOrSelf, personIn } from '../state/person.ts'
import { personOf } from '../../event/speaker.ts'

/** Who a branch pings, and on whose budget. */
export interface PingAccount {
  readonly branch: BranchId
  /** The main session of the person. */
  readonly main: BranchId
  /** The run that the branch is or works for. */
  readonly run: Run | undefined
  readonly job: JobName | undefined
  readonly person: string
  /** Whether its job allows pings. */
  readonly mayPing: boolean
  /** A person waits for this work, so messages to them are free. */
  readonly isAsked: boolean
}

export function accountOf(reader: Reader, branch: BranchId): PingAccount {
  const here = getBranch(reader, branch)
  const run = runAbove(reader, branch)
  const main = mainOrSelf(reader, branch)
  if (run === undefined) return { branch, main, run, ...accountOfWork(reader, here, main) }
  const { allowPing: mayPing } = run
  return { branch, main, run, job: nameOfRun(run), person: personOf(run), mayPing, isAsked: false }
}

function accountOfWork(reader: Reader, here: Branch, main: BranchId) {
  const { isByPerson, jobs } = openingOf(reader, here)
  const last = jobs.at(-1)
  // A job stays a job even if the person writes during it. A fork works for the person.
  const isTheirs = isByPerson || (here.mode === 'fork' && last === undefined)
  const ofJob = isByPerson ? null : (last?.person ?? null)
  return {
    person: ofJob ?? personIn(reader, main),
    job: last && { what: last.what, job: last.job },
    mayPing: jobs.every(({ allowPing }) => allowPing),
    isAsked:
      isForPeople(here) && isTheirs && askedIn(reader, here) !== undefined && !isPassedOn(reader, here),
  }
}
