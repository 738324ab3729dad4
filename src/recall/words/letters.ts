/** Character classes of the tokeniser. */
export const NEITHER = 0
/** Letters and digits of scripts that put spaces between words. */
export const LETTER = 1
/** Han and Kana: two characters make a term. */
export const PAIRED = 2
/** Other scripts without spaces: three characters make a term. */
export const TRIPLED = 3
export const HANGUL = 4
/** A term of its own: emoji and the like. */
export const SYMBOL = 5
/** Belongs to the characters around it, whatever they are. */
export const MARK = 6
export const APOSTROPHE = 7

export type LetterClass = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7

/** The class of each code point plus one; 0: not known yet. Memory is only used for blocks that texts have. */
const known = new Uint8Array(0x11_0000)

/** The class of a code point; half a surrogate pair has none. */
export function classOf(code: number): LetterClass {
  const found = known[code] as number
  if (found > 0) return (found - 1) as LetterClass
  const made = classify(String.fromCodePoint(code))
  known[code] = made + 1
  return made
}

export function isHan(character: string): boolean {
  return /^\p{Script=Han}/u.test(character)
}

function classify(character: string): LetterClass {
  if (/^['’‘`ʼ＇]$/u.test(character)) return APOSTROPHE
  // Soft hyphens and joiners occur inside words; folding drops them.
  if (/^(?:\p{M}|\p{Script=Inherited}|\u00ad|\u2060)$/u.test(character)) return MARK
  if (/^\p{So}$/u.test(character)) return SYMBOL
  if (!/^[\p{L}\p{N}]$/u.test(character)) return NEITHER
  if (/^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]$/u.test(character)) return PAIRED
  if (/^[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]$/u.test(character)) return TRIPLED
  return /^\p{Script=Hangul}$/u.test(character) ? HANGUL : LETTER
}
