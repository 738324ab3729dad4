import { estimateTokenCount } from 'tokenx'
import { limits } from './limits.ts'

/** About how many tokens a model makes of this text. Written down with the message, so it never changes afterwards. */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (let from = 0; from < text.length; from += limits.textCharsMax)
    tokens += estimateTokenCount(text.slice(from, from + limits.textCharsMax))
  return tokens
}
