import { getBranch } from '../../context/branch.ts'
import { livingFrom } from '../../context/living.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { isForPeople } from '../state/asker.ts'
import { newest } from '../state/newest.ts'
import { mainOrSelf } from '../state/person.ts'

/** Whether the person of a main session is in the middle of something, so that nobody talks across it. */
export interface BusyQuestion {
  readonly now: number
  /** Who wrote so recently is busy. */
  readonly busyMs: number
  /** The turn of this branch does not count: it is the one that asks. */
  readonly except?: BranchId
}

/** A turn runs where they talk, or they wrote a moment ago. */
export function isBusy(reader: Reader, main: BranchId, question: BusyQuestion): boolean {
  return isTurnRunning(reader, main, question.except) || quietFrom(reader, main, question) !== undefined
}

/** When enough time has passed since their last word; undefined: it has. */
export function quietFrom(
  reader: Reader,
  main: BranchId,
  { now, busyMs }: Pick<BusyQuestion, 'now' | 'busyMs'>,
): number | undefined {
  const heardAt = newest(reader, 'wrote', mainOrSelf(reader, main))?.at
  // A clock that was ahead when they wrote says nothing about now: they would be busy until it is that late again.
  if (heardAt === undefined || heardAt > now || heardAt + busyMs <= now) return undefined
  return heardAt + busyMs
}

/** In the main session itself, or in an open fork in which the person talks. */
export function isTurnRunning(reader: Reader, main: BranchId, except?: BranchId): boolean {
  return livingFrom(reader, main).some((id) => {
    const branch = getBranch(reader, id)
    return id !== except && isForPeople(branch) && branch.state.kind === 'running'
  })
}
