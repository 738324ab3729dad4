import {
  APOSTROPHE,
  classOf,
  HANGUL,
  isHan,
  LETTER,
  MARK,
  NEITHER,
  PAIRED,
  SYMBOL,
  TRIPLED,
  type LetterClass,
} from './letters.ts'
import { folded, stemOf } from './stem.ts'

/** Increase it when texts get other terms: an index with the old ones would find nothing. */
export const WORDS_VERSION = 1

export interface Word {
  /** As written in the text. */
  readonly typed: string
  readonly term: string
}

const CACHE_ENTRIES_MAX = 32_768
const CACHED_LENGTH_MAX = 32
/** The rest of a longer word cannot change its term. */
const LOOKED_AT_MAX = 1_024
/** V8 keeps a whole text in memory for a slice that is at least this long. */
const SLICE_LENGTH_MIN = 13
const CONTRACTED = new Set(['s', 'll', 're', 've', 'd', 'm'])
const CONTRACTED_MAX = 2

const termsOfWords = new Map<string, readonly string[]>()

/** The terms of a text, in order, with repetitions. Used for documents and questions alike. */
export function termsOf(text: string): string[] {
  return wordsIn(text).map(({ term }) => term)
}

/** Words are runs of one class each; a contraction belongs to its word. */
export function wordsIn(text: string): Word[] {
  const words: Word[] = []
  for (let from = 0; from < text.length;) {
    const code = text.codePointAt(from) as number
    const letters = classOf(code)
    let to = from + widthOf(code)
    if (letters === LETTER) to = endOfContraction(text, from, endOfRun(text, to, LETTER))
    else if (letters === PAIRED || letters === TRIPLED || letters === HANGUL) to = endOfRun(text, to, letters)
    if (letters !== NEITHER && letters !== MARK && letters !== APOSTROPHE) {
      const run = text.slice(from, to)
      const isWhole = letters === LETTER || letters === SYMBOL
      for (const term of termsOfRun(letters, run)) words.push({ typed: isWhole ? run : term, term })
    }
    from = to
  }
  return words
}

function endOfRun(text: string, from: number, letters: LetterClass): number {
  let to = from
  while (to < text.length) {
    const code = text.codePointAt(to) as number
    const other = classOf(code)
    if (other !== letters && other !== MARK) return to
    to += widthOf(code)
  }
  return to
}

/** The end of `don't` and `Anna's`; `O'Brien` is two words. */
function endOfContraction(text: string, from: number, to: number): number {
  if (to >= text.length || classOf(text.charCodeAt(to)) !== APOSTROPHE) return to
  const end = endOfRun(text, to + 1, LETTER)
  if (end - to - 1 > CONTRACTED_MAX) return to
  const suffix = text.slice(to + 1, end).toLowerCase()
  const isNegated = suffix === 't' && /n/i.test(text.charAt(to - 1)) && to - from > 1
  return isNegated || CONTRACTED.has(suffix) ? end : to
}

function widthOf(code: number): number {
  return code > 0xffff ? 2 : 1
}

function termsOfRun(letters: LetterClass, run: string): readonly string[] {
  if (letters === LETTER || letters === SYMBOL) return termsOfWord(run)
  const characters = Array.from(folded(run))
  if (letters === PAIRED) return pairsOf(characters)
  if (letters === TRIPLED) return gramsOf(characters, 3)
  const word = stemOf(characters.join(''))
  return characters.length < 3 ? [word] : [word, ...gramsOf(characters, 2)]
}

/** A single Han character is often a word, so it is a term too. */
function pairsOf(characters: readonly string[]): string[] {
  const terms: string[] = []
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1]
    if (isHan(character) || characters.length === 1) terms.push(character)
    if (next !== undefined) terms.push(character + next)
  }
  return terms
}

function gramsOf(characters: readonly string[], length: number): string[] {
  if (characters.length <= length) return characters.length === 0 ? [] : [characters.join('')]
  const terms: string[] = []
  for (let index = 0; index + length <= characters.length; index++) {
    terms.push(characters.slice(index, index + length).join(''))
  }
  return terms
}

function termsOfWord(typed: string): readonly string[] {
  const found = termsOfWords.get(typed)
  if (found !== undefined) return found
  const made = makeTerms(typed)
  if (typed.length > CACHED_LENGTH_MAX) return made
  if (termsOfWords.size >= CACHE_ENTRIES_MAX) termsOfWords.clear()
  termsOfWords.set(typed.length < SLICE_LENGTH_MIN ? typed : Array.from(typed).join(''), made)
  return made
}

/** Mostly one term; several for a character such as ½ that expands to more than letters. */
function makeTerms(typed: string): string[] {
  const [word = '', suffix] = typed.split(/['’‘`ʼ＇]/u, 2)
  if (suffix !== undefined && /^t$/i.test(suffix)) return ['not']
  const parts = folded(word.slice(0, LOOKED_AT_MAX)).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const terms = parts.map(stemOf).filter((term) => term !== '')
  if (terms.length > 0 || classOf(typed.codePointAt(0) as number) !== SYMBOL) return terms
  return [folded(typed) || typed]
}
