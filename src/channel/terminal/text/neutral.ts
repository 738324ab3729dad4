import { stripVTControlCharacters } from 'node:util'
import { systemRandom } from '../../../base/random.ts'
import { styleFor, type Style } from '../../../base/style.ts'

export interface OwnStyle {
  readonly style: Style
  /** The text as it goes out: our styles work, and everything between them went through `safe`. */
  readonly shown: (text: string, safe?: (content: string) => string) => string
}

/** Styles that no text of others can imitate: their sequences have a key which never leaves the process. */
export function ownStyle(colour: 'colour' | 'plain'): OwnStyle {
  const key = Array.from({ length: 4 }, () => `${systemRandom() % 10_000};`).join('')
  const own = new RegExp(String.raw`\u001B\[${key}([\d;]+)m`)
  const shown: OwnStyle['shown'] = (text, safe = neutral) => {
    if (!text.includes('\u001B')) return safe(text)
    const pieces = text.split(own)
    return pieces.map((piece, index) => (index % 2 === 1 ? `\u001B[${piece}m` : safe(piece))).join('')
  }
  return { style: styleFor(colour, key), shown }
}

/**
 * Makes text of others harmless to a terminal: it cannot move the cursor, set a title, write to the clipboard or change
 * the writing direction. Line breaks stay, colours are removed, all other control characters become visible signs.
 */
export function neutral(text: string): string {
  if (!HARMFUL.test(text)) return text
  return text
    .toWellFormed()
    .replaceAll(COLOUR, '')
    .replaceAll(/\r\n?|[\u{85}\u{2028}\u{2029}]/gu, '\n')
    .replaceAll('\t', TAB)
    .replaceAll(UNSEEN, '')
    .replaceAll(/(?!\n)[\p{Cc}\p{Bidi_Control}]/gu, pictureOf)
}

/** The same for a file or a pipe: nothing is removed, and `\x1b` stands for what a terminal would obey. */
export function spelledOut(text: string): string {
  if (!HARMFUL.test(text)) return text
  return text
    .replaceAll(/(?!\t|\n|\r\n)\p{Cc}/gu, (sign) => `\\x${hexOf(sign, 2)}`)
    .replaceAll(/\p{Bidi_Control}/gu, unicodeOf)
}

/** JSON with an escape for every character that `neutral` and `spelledOut` would change. */
export function harmlessJson(json: string): string {
  if (!HARMFUL.test(json)) return json
  return json
    .replaceAll(UNSEEN, unicodeOf)
    .replaceAll(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, unicodeOf)
}

/** Typed or pasted text as a message keeps it: line breaks and tabs stay, other control characters are removed. */
export function typedText(text: string): string {
  return stripVTControlCharacters(text)
    .toWellFormed()
    .replaceAll(/\r\n?|[\u{85}\u{2028}\u{2029}]/gu, '\n')
    .replaceAll(/(?![\n\t])[\p{Cc}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu, '')
}

export const TAB = '    '
/** One character: an expression for the whole text would need stack for each of them. */
const HARMFUL = /[^\n\x20-\x7E]/
const COLOUR = /(?:(?!\s)\p{Cc}\[|\u{9B})[\d:;]{0,128}m/gu
/** Invisible characters without width, and marks of the writing direction. */
const UNSEEN =
  /[\u{AD}\u{61C}\u{180E}\u{200B}\u{200E}\u{200F}\u{2060}-\u{2064}\u{206A}-\u{206F}\u{FEFF}\u{FFF9}-\u{FFFB}\u{E0001}\u{E0020}-\u{E007F}]/gu

function pictureOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\uFFFD'
}

function unicodeOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charAt(index))
  return units.map((unit) => `\\u${hexOf(unit, 4)}`).join('')
}

function hexOf(unit: string, digits: number): string {
  return unit.charCodeAt(0).toString(16).padStart(digits, '0')
}
