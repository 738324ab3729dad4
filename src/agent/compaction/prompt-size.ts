import type { Tail } from '../contract/effects.ts'
import { estimateTokens } from '../../base/tokens.ts'
import { getBranch } from '../../context/branch.ts'
import { tokensShown } from '../../context/part.ts'
import { listOf } from '../../context/version.ts'
import { SHARE_MAX } from '../../context/window.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { policyIn, type AgentSettings } from '../state/settings.ts'
import { contentOf, setupOf } from '../state/setup.ts'

/** Kept free for an answer without a length limit. */
const ANSWER_TOKENS = 1_000

/** Roughly the tokens of a prompt besides its list: the setup, the tail, and room for the answer. */
export function fixedTokens(
  reader: Reader,
  { branch, answerTokens, tail }: { branch: BranchId; answerTokens: number | null; tail: Tail },
): number {
  return (
    setupTokens(reader, branch) +
    (tail === null ? 0 : estimateTokens(tail.text)) +
    (answerTokens ?? ANSWER_TOKENS)
  )
}

/** Roughly the size of the branch's next prompt. */
export function promptTokens(reader: Reader, branch: BranchId): number {
  return setupTokens(reader, branch) + tokensShown(reader, listOf(reader, getBranch(reader, branch)))
}

/** How large a prompt gets here, roughly, before its older messages are summarized. */
export function fullPromptTokens(
  reader: Reader,
  { branch, settings, contextTokens }: { branch: BranchId; settings: AgentSettings; contextTokens: number },
): number {
  if (policyIn(reader, branch, settings) === 'explicit') return contextTokens
  const history = setupTokens(reader, branch) + (settings.window.historyTokensMax ?? Infinity)
  return Math.min(history, Math.floor(SHARE_MAX * contextTokens))
}

/** Cached: a setup is long and rarely changes. */
const counted = new Map<string, number>()

/** Roughly the tokens of the setup: the system text and the tools. */
export function setupTokens(reader: Reader, branch: BranchId): number {
  const setup = setupOf(reader, branch)
  if (setup === undefined) return 0
  const key = `${setup.system} ${setup.tools}`
  const known = counted.get(key)
  if (known !== undefined) return known
  const [system, tools] = [contentOf(reader, setup.system), contentOf(reader, setup.tools)]
  const tokens = estimateTokens(system) + estimateTokens(tools)
  counted.set(key, tokens)
  return tokens
}
