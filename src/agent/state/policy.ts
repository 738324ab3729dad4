import type { WindowRules } from '../../context/window.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { AgentSettings } from './settings.ts'
import { newest } from './newest.ts'

/** A branch's context policy: as set there, else as configured. */
export function policyIn(reader: Reader, branch: BranchId, settings: AgentSettings): WindowRules['policy'] {
  return setPolicy(reader, branch) ?? settings.window.policy
}

/** The policy that was set for this branch, if any. */
export function setPolicy(reader: Reader, branch: BranchId): WindowRules['policy'] | undefined {
  return newest(reader, 'policy', branch)?.policy
}
