const LENGTH_MIN = 4
const LONG_WORD = 8

/** Whether a word is another one with a slip in it: a letter too many, too few, wrong or swapped; in a long one also two side by side. */
export function isSlipOf(word: string, other: string): boolean {
  if (other.length < LENGTH_MIN || word === other) return false
  if (Math.abs(word.length - other.length) > 1 || word.charAt(0) !== other.charAt(0)) return false
  let [from, wordTo, otherTo] = [0, word.length, other.length]
  while (from < Math.min(wordTo, otherTo) && word[from] === other[from]) from++
  while (wordTo > from && otherTo > from && word[wordTo - 1] === other[otherTo - 1]) {
    wordTo--
    otherTo--
  }
  const [typed, meant] = [word.slice(from, wordTo), other.slice(from, otherTo)]
  if (typed.length <= 1 && meant.length <= 1) return true
  const isSwapped = typed.length === 2 && meant.length === 2 && typed[0] === meant[1] && typed[1] === meant[0]
  return isSwapped || (other.length >= LONG_WORD && typed.length <= 2 && meant.length <= 2)
}
