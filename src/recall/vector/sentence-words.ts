import { limits } from '../../base/limits.ts'
import { isAscii } from '../words/stem.ts'

/** The words of a text as the built-in encoder was trained on them. Another rule here would mean other vectors. */

/** Texts are read in pieces of about this many characters: only the beginning of a long one is needed. */
const PIECE_LENGTH = 2_048
const WORD = /[a-z0-9]+(?:'[a-z]+)?/g
const OTHER_LETTERS = /[^\P{L}a-z]+/gu

/** At most `limit` words, from the first. `foreign` counts the runs of letters that the encoder does not see. */
export function sentenceWords(text: string, limit: number): { words: readonly string[]; foreign: number } {
  const words: string[] = []
  let foreign = 0
  for (let from = 0; from < text.length && words.length < limit;) {
    const to = pieceEnd(text, from)
    const plain = plainText(text.slice(from, to))
    for (const found of plain.match(WORD) ?? []) {
      if (words.length === limit) break
      words.push(baseWord(found))
    }
    if (!isAscii(plain)) foreign += plain.match(OTHER_LETTERS)?.length ?? 0
    from = to
  }
  return { words, foreign }
}

/** After a space or a line's end, where no word or accent can be cut in two, unless none comes for very long. */
function pieceEnd(text: string, from: number): number {
  const most = Math.min(text.length, from + limits.textCharsMax)
  for (let at = from + PIECE_LENGTH; at < most; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x20 || code === 0x0a) return at + 1
  }
  return most
}

function plainText(text: string): string {
  const lower = text.toLowerCase()
  if (isAscii(lower)) return lower.includes('`') ? lower.replaceAll('`', "'") : lower
  return lower
    .normalize('NFKD')
    .replace(/[\u0300-\u036F]/g, '')
    .replace(/[\u2018\u2019`]/g, "'")
}

function baseWord(found: string): string {
  if (found.endsWith("n't")) return 'not'
  const apostrophe = found.indexOf("'")
  return apostrophe < 0 ? found : found.slice(0, apostrophe)
}

const ENDINGS: readonly { readonly ending: string; readonly cut: number; readonly add: string }[] = [
  { ending: 'ies', cut: 3, add: 'y' },
  { ending: 'es', cut: 2, add: '' },
  { ending: 's', cut: 1, add: '' },
  { ending: 'ied', cut: 3, add: 'y' },
  { ending: 'ed', cut: 2, add: '' },
  { ending: 'ed', cut: 1, add: '' },
  { ending: 'ing', cut: 3, add: '' },
  { ending: 'ing', cut: 3, add: 'e' },
  { ending: 'ly', cut: 2, add: '' },
  { ending: 'er', cut: 2, add: '' },
  { ending: 'er', cut: 1, add: '' },
  { ending: 'ness', cut: 4, add: '' },
]
const LONG_ENOUGH = 5

/** Possible base forms of a word, the likeliest first. */
export function* baseForms(word: string): Iterable<string> {
  if (word.length < LONG_ENOUGH) return
  for (const { ending, cut, add } of ENDINGS) {
    if (word.endsWith(ending)) yield word.slice(0, -cut) + add
  }
}

const GRAM_LENGTH = 4
const GRAMS_MAX = 8
const GRAMMED_LENGTH_MAX = 20

/** Hashes of the pieces of a word, used when the vocabulary lacks it. */
export function gramHashes(word: string): readonly number[] {
  const fenced = `<${word.slice(0, GRAMMED_LENGTH_MAX)}>`
  const count = Math.min(GRAMS_MAX, Math.max(1, fenced.length - GRAM_LENGTH + 1))
  return Array.from({ length: count }, (_, at) => hashOf(fenced.slice(at, at + GRAM_LENGTH)))
}

/** FNV-1a, 32 bits; words are ASCII, so a character is a byte. */
function hashOf(gram: string): number {
  let hash = 0x811c_9dc5
  for (let at = 0; at < gram.length; at++) {
    hash = Math.imul(hash ^ gram.charCodeAt(at), 0x0100_0193)
  }
  return hash >>> 0
}
