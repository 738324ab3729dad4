import { seededRandom } from '../../base/random.ts'
import { makeTurnId, type BranchId, type IdSeed, type TurnId } from '../../event/id.ts'
import type { Reader, RowOf } from '../../event/table.ts'
import { turnNumberTable, turnTable } from './tables.ts'

/** How many turns a branch has had: the number of its newest one. */
export function turnsIn(reader: Reader, branch: BranchId): number {
  const [newest] = reader.rows(turnNumberTable, { prefix: [branch], order: 'down', limit: 1 })
  return newest?.number ?? 0
}

/** The branch's newest turn, if it has not ended. A fold must not ask the branch: a rebuild folds all of those first. */
export function openTurn(reader: Reader, branch: BranchId): RowOf<typeof turnTable> | undefined {
  const [newest] = reader.rows(turnNumberTable, { prefix: [branch], order: 'down', limit: 1 })
  const row = newest && reader.row(turnTable, [newest.turn])
  return row?.outcome === null ? row : undefined
}

/** The number of a turn in its branch, as people see and name it. */
export function turnNumber(reader: Reader, turn: TurnId): number | undefined {
  return reader.row(turnTable, [turn])?.number
}

/** An id that no turn has. Turns that one work starts in several branches share a moment and a seed. */
export function newTurnId(reader: Reader, { at, seed }: IdSeed): TurnId {
  const random = seededRandom(seed)
  for (;;) {
    const turn = makeTurnId(at, random)
    if (reader.row(turnTable, [turn]) === undefined) return turn
  }
}
