import { childrenOf, getBranch, type Branch } from '../context/branch.ts'
import { messagesIn, rangeOf } from '../context/message-index.ts'
import type { BranchId } from '../event/id.ts'
import type { JobName } from '../event/job.ts'
import type { Reader } from '../event/table.ts'
import { OWNER } from '../recall/document.ts'
import { askedIn, isForPeople } from './asker.ts'
import { admittedAt } from './inbox.ts'
import { mainOfPerson, nameOfRun, personOfRun } from './jobs.ts'
import { runAbove, type Run } from './run.ts'
import { heardIn } from './unasked.ts'
import { mainAbove } from './updates.ts'

/** On whose account a branch writes to whom. */
export interface PingAccount {
  readonly branch: BranchId
  /** The main session of the person. */
  readonly main: BranchId
  /** The run that the branch is or works for. */
  readonly run: Run | undefined
  readonly job: JobName | undefined
  readonly person: string
  /** A person waits for what is being done here: what is said in answer to them costs nothing. */
  readonly isAsked: boolean
}

export function accountOf(reader: Reader, branch: BranchId): PingAccount {
  const here = getBranch(reader, branch)
  const run = runAbove(reader, branch)
  const main = mainAbove(reader, branch) ?? branch
  return {
    branch,
    main,
    run,
    job: run === undefined ? openingJob(reader, here) : nameOfRun(run),
    person: run === undefined ? personOfMain(reader, main) : personOfRun(run),
    isAsked: isForPeople(here) && askedIn(reader, here) !== undefined,
  }
}

/** The oldest main session is the owner's, whatever a platform calls them. */
function personOfMain(reader: Reader, main: BranchId): string {
  const oldest = childrenOf(reader, null).find((id) => getBranch(reader, id).mode === 'main')
  if (main === oldest || main === mainOfPerson(reader, OWNER)) return OWNER
  return heardIn(reader, main)?.person ?? OWNER
}

/** The job that the work which runs here was begun for, in a main session. */
function openingJob(reader: Reader, { id, mode, state }: Branch): JobName | undefined {
  if (mode !== 'main' || state.kind !== 'running') return undefined
  const range = rangeOf(reader, id, { from: state.since, to: Number.MAX_SAFE_INTEGER })
  const jobs = (range === undefined ? [] : messagesIn(reader, range)).flatMap(({ position }) => {
    const event = reader.event(position)
    const took = event.kind === 'message-added' ? event.took : undefined
    const source = took === undefined ? undefined : admittedAt(reader, took).source
    if (source?.from !== 'host' || source.id === undefined) return []
    return source.tag === 'routine' || source.tag === 'reminder' ? { what: source.tag, job: source.id } : []
  })
  return jobs.at(-1)
}
