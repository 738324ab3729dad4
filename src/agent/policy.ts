import type { WindowRules } from '../context/window.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { newestTable } from './tables.ts'

/** How a branch's context is kept, where somebody said so; else as the configuration says. */
export function setPolicy(reader: Reader, branch: BranchId): WindowRules['policy'] | undefined {
  const row = reader.row(newestTable, [`policy ${branch}`])
  const event = row && reader.event(row['position'] as Position)
  return event?.kind === 'policy-set' ? event.policy : undefined
}
