import { getBranch, lineOf } from '../context/branch.ts'
import type { WindowRules } from '../context/window.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { newestTable } from './tables.ts'

/** How a branch's context is kept, where somebody said so: for this branch, or for one that it came from. */
export function contextPolicy(reader: Reader, branch: BranchId): WindowRules['policy'] | undefined {
  for (const { id } of lineOf(reader, getBranch(reader, branch))) {
    const row = reader.row(newestTable, [`policy ${id}`])
    const event = row && reader.event(row['position'] as Position)
    if (event?.kind === 'policy-set') return event.policy
  }
  return undefined
}
