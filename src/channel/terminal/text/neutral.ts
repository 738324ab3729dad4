import { stripVTControlCharacters } from 'node:util'

/**
 * Makes text of others harmless to a terminal: it cannot move the cursor, set a title, write to the clipboard or change
 * the writing direction. Line breaks stay, colours are removed, all other control characters become visible signs.
 */
export function neutral(text: string): string {
  if (HARMLESS.test(text)) return text
  return text
    .toWellFormed()
    .replaceAll(COLOUR, '')
    .replaceAll(/\r\n?|[\u{85}\u{2028}\u{2029}]/gu, '\n')
    .replaceAll('\t', TAB)
    .replaceAll(UNSEEN, '')
    .replaceAll(OBEYED, pictureOf)
}

/** Typed or pasted text as a message keeps it: line breaks and tabs stay, other control characters are removed. */
export function typedText(text: string): string {
  return stripVTControlCharacters(text)
    .toWellFormed()
    .replaceAll(/\r\n?|[\u{85}\u{2028}\u{2029}]/gu, '\n')
    .replaceAll(/(?![\n\t])[\p{Cc}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu, '')
}

/** The same on one line. */
export function neutralLine(text: string): string {
  return neutral(text.slice(0, LOOKED_MAX)).replaceAll(/\s+/g, ' ').trim()
}

export const TAB = '    '
const LOOKED_MAX = 4_000
const HARMLESS = /^[\n\x20-\x7E]*$/
const COLOUR = /(?:(?!\s)\p{Cc}\[|\u{9B})[\d:;]*m/gu
/** Invisible characters without width. */
const UNSEEN =
  /[\u{AD}\u{180E}\u{200B}\u{2060}-\u{2064}\u{206A}-\u{206F}\u{FEFF}\u{FFF9}-\u{FFFB}\u{E0001}\u{E0020}-\u{E007F}]/gu
const OBEYED = /(?!\n)[\p{Cc}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu

function pictureOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\uFFFD'
}
