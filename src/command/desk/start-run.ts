import { ok, refusal, type Actor } from '../../agent/contract/act.ts'
import { actKill } from '../../agent/branch/kill-act.ts'
import { actRun, type RunAsked, type RunSaid, type Starting } from '../../agent/run/run-act.ts'
import { findBranch, getBranch } from '../../context/branch.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Address } from '../../event/work.ts'
import type { Writing } from '../../event/table.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import { follow, personAt, type Desk } from './desk.ts'
import { mainAbove } from '../../agent/state/person.ts'
import { COMMAND_LINE } from '../../agent/state/run.ts'

type RunDesk = Pick<Desk, 'log' | 'now' | 'random' | 'settings' | 'agent'>

/** Starts a run for the main session of the actor, in the caller's transaction. */
export function beginRun(writing: Writing, actor: Actor, job: RunAsked & Starting): RunSaid {
  const branch = mainAbove(writing, actor.branch)
  if (branch === undefined) return refusal('There is no main session that the run could work for.')
  return actRun(writing, { ...actor, branch }, job)
}

/**
 * Starts a run for the command line, which shows its end: nobody else is told about it. Asked again for a branch that is
 * there, it starts nothing.
 */
export async function startRun(
  desk: RunDesk,
  from: Address,
  job: RunAsked & Pick<Starting, 'as'>,
): Promise<RunSaid> {
  const author = { by: 'policy', name: COMMAND_LINE } as const
  const actor = { ...personAt(desk), author }
  const said = await desk.log.write((writing): RunSaid => {
    if (job.as !== undefined && findBranch(writing, job.as) !== undefined) return { ...ok(''), run: job.as }
    const branch = boundBranch(writing, from)
    if (branch === undefined) return refusal('There is no main session that the run could work for.')
    return beginRun(writing, { ...actor, branch }, job)
  })
  follow(desk.agent(), said)
  return said
}

/** Ends a run because the person ends the process, and its work with it. False: it had already ended. */
export function killRun(desk: RunDesk, run: BranchId): Promise<boolean> {
  const actor = personAt(desk)
  return desk.log.write((writing) => {
    if (getBranch(writing, run).state.kind === 'ended') return false
    return !actKill(writing, { ...actor, branch: run }, handleOf(run)).isError
  })
}
