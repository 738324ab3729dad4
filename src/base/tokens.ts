import { estimateTokenCount } from 'tokenx'

/** About how many tokens a model makes of this text. Written down with the message, so it never changes afterwards. */
export function estimateTokens(text: string): number {
  return estimateTokenCount(text)
}
