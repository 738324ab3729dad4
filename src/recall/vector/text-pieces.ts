export interface PieceLimits {
  readonly tokensMax: number
  readonly piecesMax: number
}

/**
 * A text in pieces of at most so many tokens, cut between words; none for a text without any. A word that is too long by
 * itself is a piece of its own, of which the model sees the beginning.
 */
export function piecesOf(
  text: string,
  countTokens: (text: string) => number,
  { tokensMax, piecesMax }: PieceLimits,
): readonly string[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  // A token has a character at least.
  if (trimmed.length <= tokensMax) return [trimmed]
  const pieces: string[] = []
  let [from, tokens] = [0, 0]
  for (const { 0: word, index } of trimmed.matchAll(/\S+/g)) {
    const more = word.length === 1 ? 1 : countTokens(word)
    if (tokens > 0 && tokens + more > tokensMax) {
      pieces.push(trimmed.slice(from, index).trimEnd())
      if (pieces.length === piecesMax) return pieces
      from = index
      tokens = 0
    }
    tokens += more
  }
  return [...pieces, trimmed.slice(from)]
}
