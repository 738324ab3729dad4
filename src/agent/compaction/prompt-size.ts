import type { Tail } from '../contract/effects.ts'

import { estimateTokens } from '../../base/tokens.ts'
import { getBranch } from '../../context/branch.ts'
import { tokensShown } from '../../context/part.ts'
import { listOf } from '../../context/version.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { contentOf, setupOf } from '../state/setup.ts'

/** Left free for an answer whose length nobody limited. */
const ANSWER_TOKENS = 1_000

/** About what a prompt takes besides its list: what it begins with, its tail, and room for the answer. */
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

/** About how large the branch's next prompt is. */
export function promptTokens(reader: Reader, branch: BranchId): number {
  return setupTokens(reader, branch) + tokensShown(reader, listOf(reader, getBranch(reader, branch)))
}

/** A setup is long and rarely changes. */
const counted = new Map<string, number>()

/** About what every prompt begins with: the system text and the tools. */
export function setupTokens(reader: Reader, branch: BranchId): number {
  const setup = setupOf(reader, branch)
  if (setup === undefined) return 0
  const key = `${setup.system} ${setup.tools}`
  const known = counted.get(key)
  if (known !== undefined) return known
  const tokens = [setup.system, setup.tools].reduce(
    (sum, hash) => sum + estimateTokens(contentOf(reader, hash)),
    0,
  )
  counted.set(key, tokens)
  return tokens
}
