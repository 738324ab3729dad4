import { getBranch } from '../../context/branch.ts'
import { livingChildren } from '../../context/living.ts'
import type { BranchId } from '../../event/id.ts'
import { jobText } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { endSubtree, isAtWork } from '../step/end-subtree.ts'
import { firstWaiting } from '../state/inbox.ts'
import { nameOfRun } from '../state/jobs.ts'
import { runIn, type Run } from '../state/run.ts'

export interface Strays {
  /** They wait for a firing that does not come. */
  readonly resting: readonly BranchId[]
  /** Others will, once they are done. */
  readonly isAnyAtWork: boolean
}

/** Sessions of routines that go on from firing to firing, where the routine does not any more. */
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

/** Ends one, if it still rests. */
export function endRest(
  writing: Writing,
  { branch, at }: { readonly branch: BranchId; readonly at: number },
): void {
  const run = runIn(writing, branch)
  if (run === undefined || getBranch(writing, branch).state.kind === 'ended' || !isIdle(writing, run)) return
  endSubtree(writing, { branch, at, reason: 'finished', author: { by: 'policy', name: 'schedule' } })
}

/** Somebody may talk to it while it rests. */
function isIdle(reader: Reader, { branch, isResting }: Run): boolean {
  return isResting && !isAtWork(getBranch(reader, branch)) && firstWaiting(reader, branch) === undefined
}

export function jobOfRun(run: Run): string {
  return jobText(nameOfRun(run))
}
