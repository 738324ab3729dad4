/** Longer words are somebody's text and no slip. Comparing them letter by letter would take long. */
const WORD_MAX = 64

/** The word that was probably meant, if any is near enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > WORD_MAX) return undefined
  const begins = known.filter((other) => word.length >= 2 && other.startsWith(word))
  if (begins.length === 1) return begins[0]
  const ranked = known
    .map((other) => ({ other, distance: distance(word, other) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best !== undefined && best.distance <= Math.max(2, Math.floor(best.other.length / 2))
    ? best.other
    : undefined
}

/** The end of `There is no X`. */
export function meantText(near: string | undefined): string {
  return near === undefined ? '.' : `; did you mean '${near}'?`
}

/** Letters to add, take away or change to get from one word to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
