import { estimateTokens } from '../../base/tokens.ts'

/** Where a sentence or a line ends. A point within a number, or behind the number of a list's entry, ends nothing. */
const SENTENCE_END = /(?<!^\s*\d+)[.!?…]+["'”’»)\]*_`]*(?=\s|$)|[。！？]+[”’」』）]*|\n/gmu

/** Cut behind a sentence or a line, where it is longer than allowed. */
export function shortened(text: string, tokensMax: number): string {
  if (estimateTokens(text) <= tokensMax) return text
  const ends = sentenceEnds(text)
  const kept = text.slice(0, ends[countFitting(ends, text, tokensMax) - 1] ?? 0).trim()
  return kept === '' ? cutHard(text, tokensMax) : kept
}

/** Without what was cut off in the middle of a sentence; the whole where there is nothing else. */
export function wholeSentences(text: string): string {
  const kept = text.slice(0, sentenceEnds(text).at(-1) ?? 0)
  return kept.trim() === '' ? text : kept
}

function sentenceEnds(text: string): number[] {
  return Array.from(text.matchAll(SENTENCE_END), ({ 0: end, index }) => index + end.length)
}

/** The beginning and the end of a text that is too long to be read. */
export function withoutMiddle(text: string, tokensMax: number): string {
  const share = tokensMax / Math.max(1, estimateTokens(text))
  const half = Math.floor((text.length * Math.min(1, share)) / 2)
  const left = text.length - 2 * half
  return `${text.slice(0, half)}\n(${left} characters left out)\n${text.slice(text.length - half)}`.toWellFormed()
}

/** The longer, the more tokens: so the search may halve. */
function countFitting(ends: readonly number[], text: string, tokensMax: number): number {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (estimateTokens(text.slice(0, ends[middle - 1]).trim()) <= tokensMax) low = middle
    else high = middle - 1
  }
  return low
}

/** One sentence that is too long for itself. */
function cutHard(text: string, tokensMax: number): string {
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (estimateTokens(text.slice(0, middle)) < tokensMax) low = middle
    else high = middle - 1
  }
  const kept = text.slice(0, low).replace(/[\uD800-\uDBFF]$/, '')
  return `${kept.trimEnd()}…`
}
