import type { Entry } from './entry.ts'
import { fold, pairs, stem, STOP, UNSPACED } from './folding.ts'

/** What a summary is to keep before other things: the words that tell it, in their order. */
export type Focus = readonly string[]

/** In front of what somebody wants kept, these say only that it is wanted. */
const WISHING = new Set(
  `focus keep everything anything all stuff things details detail concerning regarding related remember especially
  important info information facts number numbers above alles bitte behalte wichtig todo`.split(/\s+/),
)
const SHORT =
  /^(?:is|it|in|at|on|of|to|we|my|me|he|us|do|so|no|or|if|by|as|an|am|be|up|go|ok|im|um|zu|da|es|er|du|wo|ob|el|la|de|en|un|se|lo|al|si|ya|mi|tu|su|y|o|a|i|s|t)$/

export function focusOf(text: string): Focus {
  const words = wordsOf(fold(text))
  const telling = words.filter((word) => !STOP.has(word) && !WISHING.has(word) && !SHORT.test(word))
  // Whoever writes only such words means them.
  return [...new Set(telling.length > 0 ? telling : words)]
}

const WORD = /\d{1,2}:\d\d|[\p{L}\p{N}]+(?:[.,']\d{3}(?!\d))*/gu

/** Words, codes and numbers, however they are separated: "1,800", "3 pm", "INV-4758". */
function wordsOf(folded: string): string[] {
  const joined = folded.replaceAll(/(\d) ([ap]m)\b/g, '$1$2').replaceAll(/'s\b/g, '')
  return Array.from(joined.matchAll(WORD)).flatMap(([word]) => {
    if (UNSPACED.test(word)) return [...pairs(word.replaceAll(/\d+/g, '')), ...(word.match(/\d+/g) ?? [])]
    return [/^\d/.test(word) ? word.replaceAll(/[.,']/g, '') : word]
  })
}

/** Which words of the focus a text tells. */
export function nearness(focus: Focus, text: string): Set<string> {
  if (focus.length === 0) return new Set()
  const told = new Set(wordsOf(fold(text)).flatMap((word) => [word, ...(word.match(/\d{3,}/g) ?? [])]))
  const roots = new Set([...told].map(root))
  return new Set(focus.filter((word) => told.has(word) || isInflected(word, roots)))
}

/** How many words of the focus a text may tell: quick enough to look through thousands of messages. */
export function glance(focus: Focus, text: string): number {
  const folded = fold(text).replaceAll(/(?<=\d)[.,'](?=\d{3})/g, '')
  return focus.filter((word) => folded.includes(/\d/.test(word) ? word : root(word))).length
}

const ROOT_CHARACTERS_MIN = 5
const ENDING_CHARACTERS_MAX = 4

/** "Parties" for "party", "allergic" for "allergy". */
function isInflected(word: string, roots: ReadonlySet<string>): boolean {
  if (/\d/.test(word)) return false
  const own = root(word)
  if (roots.has(own)) return true
  if (own.length < ROOT_CHARACTERS_MIN) return false
  for (const other of roots) {
    const [short, long] = own.length < other.length ? [own, other] : [other, own]
    const isLonger = long.startsWith(short) && long.length - short.length <= ENDING_CHARACTERS_MAX
    if (isLonger && short.length >= ROOT_CHARACTERS_MIN) return true
  }
  return false
}

function root(word: string): string {
  if (/\d/.test(word) || word.length < 4) return word
  return stem(word)
    .replace(/(?<=...)i$/, '')
    .replace(/(?<=..)([bdgklmnprt])\1$/, '$1')
}

/** More than most lines are worth. */
const FOCUS_WORTH = 6
const WORDS_MAX = 3

/** Before lines are merged: of two that tell nearly the same, the one that is asked for stays. */
export function raise(entries: readonly Entry[], focus: Focus): readonly Entry[] {
  if (focus.length === 0) return entries
  return entries.map((entry) => {
    const near = nearness(focus, entry.text)
    return { ...entry, near, worth: entry.worth + focusWorth(near, focus) }
  })
}

/** A line that tells all of it is meant; one that tells a word of it may be. */
function focusWorth(near: ReadonlySet<string>, focus: Focus): number {
  if (near.size === 0) return 0
  const isWhole = near.size === focus.length
  return FOCUS_WORTH * (Math.min(WORDS_MAX, near.size) + (isWhole ? 1 : 0))
}
