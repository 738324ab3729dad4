import { dueCompaction, type WindowQuestion } from '../context/window.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { setPolicy } from './policy.ts'
import { fixedTokens } from './prompt-size.ts'
import type { AgentSettings } from './settings.ts'

export interface Place {
  readonly branch: BranchId
  readonly settings: AgentSettings
  /** What the model takes that answers here. */
  readonly contextTokens: number
}

/** What the window is asked about a branch: the rules that hold there, and what there is room for. */
export function windowQuestion(reader: Reader, place: Place): WindowQuestion {
  const { branch, settings, contextTokens } = place
  const rules = { ...settings.window, policy: policyIn(reader, place) }
  return { branch, rules, room: { fixedTokens: fixedTokens(reader, settings.chat.tokensMax), contextTokens } }
}

/** More messages than one prompt may have, and some of them can be summed up. */
export function isTooMany(reader: Reader, place: Place): boolean {
  const due = dueCompaction(reader, windowQuestion(reader, place))
  return due.kind === 'due' && due.because === 'truncation'
}

export function policyIn(reader: Reader, { branch, settings }: Omit<Place, 'contextTokens'>): Policy {
  return setPolicy(reader, branch) ?? settings.window.policy
}

type Policy = AgentSettings['window']['policy']
