import { getBranch } from '../../context/branch.ts'
import { isRefusal } from '../../context/decision.ts'
import { startTurn } from '../../context/step.ts'
import type { TurnId } from '../../event/id.ts'
import type { Writing } from '../../event/table.ts'
import type { Actor } from '../contract/act.ts'
import { newTurnId } from '../state/turn-number.ts'
import { endWith } from '../step/ending.ts'

/** Ends the work that runs here or would continue by itself; returns the turn that ended it, if there was any. */
export function stopWork(
  writing: Writing,
  { branch, at, seed }: Pick<Actor, 'branch' | 'at' | 'seed'>,
  outcome: 'stopped' | 'failed' = 'stopped',
): TurnId | undefined {
  const { state } = getBranch(writing, branch)
  if (state.kind === 'ended') return undefined
  if (state.kind === 'running') {
    endWith(writing, { branch, turn: state.turn, at, outcome })
    return state.turn
  }
  const { last } = state
  if (last?.outcome !== 'deferred' && last?.outcome !== 'interrupted') return undefined
  const turn = newTurnId(writing, { at, seed })
  const started = startTurn(writing, { branch, at, turn, continues: last.turn })
  if (isRefusal(started)) return undefined
  writing.append(started.draft)
  endWith(writing, { branch, turn, at, outcome })
  return turn
}
