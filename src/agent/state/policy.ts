import type { WindowRules } from '../../context/window.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { AgentSettings } from './settings.ts'
import { newest } from './newest.ts'

/** How a branch's context is kept: as somebody said there, else as the configuration says. */
export function policyIn(
  reader: Reader,
  { branch, settings }: { readonly branch: BranchId; readonly settings: AgentSettings },
): WindowRules['policy'] {
  return setPolicy(reader, branch) ?? settings.window.policy
}

/** What somebody said about this branch, if anybody did. */
export function setPolicy(reader: Reader, branch: BranchId): WindowRules['policy'] | undefined {
  return newest(reader, 'policy', branch)?.policy
}
