import { nearest } from '../../base/nearest.ts'

/** A word of so few letters is near to too many others: only one slip makes it the one that was meant. */
const SHORT_MAX = 4

/** The word that was probably meant, if any is close. */
export function meantWord(word: string, known: readonly string[]): string | undefined {
  const near = nearest(word, known)
  if (near === undefined || near.length > SHORT_MAX) return near
  return (word.length >= 2 && near.startsWith(word)) || isOneSlip(word, near) ? near : undefined
}

/** Whether one letter more, less or other, or two that changed places, make one word of the other. */
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
