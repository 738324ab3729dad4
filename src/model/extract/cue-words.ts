/** One of these words or phrases, in folded text: lower case, without accents. */
export function words(...alternatives: readonly string[]): RegExp {
  return new RegExp(String.raw`\b(?:${alternatives.join('|')})\b`)
}

/** Scripts without spaces have no edges of words. */
export function either(spaced: RegExp, unspaced: RegExp): RegExp {
  return new RegExp(`${spaced.source}|${unspaced.source}`)
}
