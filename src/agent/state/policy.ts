import type { WindowRules } from '../../context/window.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { AgentSettings } from './settings.ts'
import { newestTable } from './tables.ts'

/** How a branch's context is kept: as somebody said there, else as the configuration says. */
export function policyIn(
  reader: Reader,
  { branch, settings }: { readonly branch: BranchId; readonly settings: AgentSettings },
): WindowRules['policy'] {
  return setPolicy(reader, branch) ?? settings.window.policy
}

/** What somebody said about this branch, if anybody did. */
export function setPolicy(reader: Reader, branch: BranchId): WindowRules['policy'] | undefined {
  const row = reader.row(newestTable, [`policy ${branch}`])
  const event = row && reader.event(row['position'] as Position)
  return event?.kind === 'policy-set' ? event.policy : undefined
}
