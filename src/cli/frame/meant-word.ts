import { nearest } from '../../base/nearest.ts'

/** A word this short is near too many others, so only one typo is allowed. */
const SHORT_MAX = 4

/** The word that was probably meant, if any is close. */
export function meantWord(word: string, known: readonly string[]): string | undefined {
  const near = nearest(word, known)
  if (near === undefined || near.length > SHORT_MAX) return near
  return (word.length >= 2 && near.startsWith(word)) || isOneSlip(word, near) ? near : undefined
}

/** Whether the words differ by one letter added, removed or changed, or by two swapped ones. */
function isOneSlip(a: string, b: string): boolean {
  const most = Math.min(a.length, b.length)
  let start = 0
  while (start < most && a[start] === b[start]) start++
  let end = 0
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && left === right.split('').toReversed().join('')
}
