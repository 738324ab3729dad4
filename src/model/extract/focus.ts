import type { Entry } from './entry.ts'
import { fold, pairs, stem, STOP, UNSPACED } from './folding.ts'

/** The words that a summary keeps first, each with a pattern for its forms. */
export type Focus = readonly { readonly word: string; readonly pattern: RegExp }[]

/** These words only say that something is wanted. */
const WISHING = new Set(
  `focus keep everything anything all stuff things details concerning regarding related remember especially important
  info information facts is it in at on of to we my me or if by as an am be up im um zu es el la de en un`.split(
    /\s+/,
  ),
)
const WORD = /\d{1,2}:\d\d|[\p{L}\p{N}]+/gu

export function focusOf(text: string): Focus {
  const words = Array.from(plain(text).matchAll(WORD)).flatMap(([word]) =>
    UNSPACED.test(word) ? pairs(word) : [word],
  )
  const telling = words.filter((word) => !STOP.has(word) && !WISHING.has(word))
  // If there are no other words, these are meant.
  const meant = new Set(telling.length > 0 ? telling : words)
  return [...meant].map((word) => ({ word, pattern: patternOf(word) }))
}

/** Folded, with `1,800` as `1800` and `3 pm` as `3pm`. */
function plain(text: string): string {
  return fold(text)
    .replaceAll(/(?<=\d)[.,'](?=\d{3}(?!\d))/g, '')
    .replaceAll(/(\d) ([ap]m)\b/g, '$1$2')
}

/** A number or a short word must match whole, a longer word by its beginning: "parties" finds "party". */
function patternOf(word: string): RegExp {
  if (/\d/.test(word)) return new RegExp(String.raw`(?<!\d)${RegExp.escape(word)}(?!\d)`, 'u')
  if (UNSPACED.test(word)) return new RegExp(word, 'u')
  const root = stem(word).replace(/(?<=...)[iy]$|(?<=..)([bdgklmnprt])(?=\1$)/, '')
  return word.length < 4
    ? new RegExp(String.raw`(?<!\p{L})${word}(?!\p{L})`, 'u')
    : new RegExp(String.raw`(?<!\p{L})${root}`, 'u')
}

/** The words of the focus that a text has. */
export function nearness(focus: Focus, text: string): Set<string> {
  if (focus.length === 0) return new Set()
  const told = plain(text)
  return new Set(focus.filter(({ pattern }) => pattern.test(told)).map(({ word }) => word))
}

/** More than most lines are worth. */
const FOCUS_WORTH = 6
const WORDS_MAX = 3

/** Runs before lines are merged: of two that are nearly the same, the one in focus stays. */
export function raise(entries: readonly Entry[], focus: Focus): readonly Entry[] {
  if (focus.length === 0) return entries
  return entries.map((entry) => {
    const near = nearness(focus, entry.text)
    // A line with all the words is meant; one with some of them may be.
    const words = Math.min(WORDS_MAX, near.size) + (near.size === focus.length ? 1 : 0)
    return { ...entry, near, worth: entry.worth + FOCUS_WORTH * words }
  })
}
