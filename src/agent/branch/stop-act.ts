import { seededRandom } from '../../base/random.ts'
import { getBranch } from '../../context/branch.ts'
import { isRefusal } from '../../context/decision.ts'
import { startTurn } from '../../context/step.ts'
import { makeTurnId } from '../../event/id.ts'
import type { Writing } from '../../log/log.ts'
import type { Actor } from '../contract/act.ts'
import { endWith } from '../step/ending.ts'

/** Ends the work that runs here or would continue by itself; returns whether there was any. */
export function stopWork(writing: Writing, { branch, at, seed }: Actor): boolean {
  const { state } = getBranch(writing, branch)
  if (state.kind === 'ended') return false
  if (state.kind === 'running') {
    endWith(writing, { branch, turn: state.turn, at, outcome: 'stopped' })
    return true
  }
  const { last } = state
  if (last?.outcome !== 'deferred' && last?.outcome !== 'interrupted') return false
  const turn = makeTurnId(at, seededRandom(seed))
  const started = startTurn(writing, { branch, at, turn, continues: last.turn })
  if (isRefusal(started)) return false
  writing.append(started.draft)
  endWith(writing, { branch, turn, at, outcome: 'stopped' })
  return true
}
