import type { BranchId, TurnId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { turnNumberTable, turnTable } from './tables.ts'

/** How many turns a branch has had: the number of its newest one. */
export function turnsIn(reader: Reader, branch: BranchId): number {
  const [newest] = reader.rows(turnNumberTable, { prefix: [branch], order: 'down', limit: 1 })
  return newest?.number ?? 0
}

/** The number of a turn in its branch, as people see and name it. */
export function turnNumber(reader: Reader, turn: TurnId): number | undefined {
  return reader.row(turnTable, [turn])?.number
}
