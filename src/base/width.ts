/** Characters that take two columns of a terminal: CJK, Hangul, full-width forms, and signs drawn as pictures. */
const WIDE =
  /^[\u{1100}-\u{115F}\u{2329}\u{232A}\u{2630}-\u{2637}\u{268A}-\u{268F}\u{2E80}-\u{303E}\u{3041}-\u{3247}\u{3250}-\u{A4CF}\u{A960}-\u{A97C}\u{AC00}-\u{D7A3}\u{F900}-\u{FAFF}\u{FE10}-\u{FE19}\u{FE30}-\u{FE6B}\u{FF01}-\u{FF60}\u{FFE0}-\u{FFE6}\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1D300}-\u{1D376}\u{1F200}-\u{1F265}\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]/u
/** Pictures made of several characters: with a variation selector, a keycap, joined by U+200D. */
const PICTURE =
  /^(?:\p{RGI_Emoji}|[\d#*]\u{20E3})$|\p{Extended_Pictographic}.*\u{200D}.*\p{Extended_Pictographic}/v
const VISIBLE =
  /[^\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Nonspacing_Mark}\p{Enclosing_Mark}\p{Surrogate}]/v
/** These follow a sign and still take a column of their own. */
const TRAILING = /[\p{Spacing_Mark}\u{FF61}-\u{FFDC}]/gu
const ASCII = /^[\x20-\x7E]*$/
const ASCII_LINES = /^[\n\x20-\x7E]*$/
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** What a person takes for one sign, and the columns that it needs. */
export interface Sign {
  readonly text: string
  readonly width: number
}

export function signsOf(text: string): Sign[] {
  if (ASCII_LINES.test(text)) return Array.from(text, asciiSign)
  return Array.from(graphemes.segment(text), ({ segment }) => ({ text: segment, width: signWidth(segment) }))
}

export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += signWidth(segment)
  return width
}

/** The text in at most so many columns; where something was left out it ends in `…`. */
export function shorten(text: string, columns: number): string {
  // Cheap first: no text needs more characters looked at than could be shown.
  const looked = text.length > columns * 16 ? text.slice(0, columns * 16) : text
  if (looked === text && widthOf(text) <= columns) return text
  let short = ''
  let width = 1
  for (const { segment } of graphemes.segment(looked)) {
    width += signWidth(segment)
    if (width > columns) break
    short += segment
  }
  return columns < 1 ? '' : `${short.trimEnd()}…`
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/**
 * Text of others on one line: a message may hold escape sequences that would recolour a terminal, move its cursor
 * or set its title.
 */
export function oneLine(text: string): string {
  return text
    .slice(0, LOOKED_MAX)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\u{202A}-\u{202E}\u{2066}-\u{2069}\p{Cs}]/gu, '�')
    .trim()
}

const LOOKED_MAX = 4_000

function asciiSign(text: string): Sign {
  return { text, width: text === '\n' ? 0 : 1 }
}

function signWidth(sign: string): number {
  if (ASCII.test(sign)) return sign.length
  const start = sign.search(VISIBLE)
  if (start === -1) return 0
  // Nothing that is drawn as one picture is longer; a long sign would make the search below slow.
  if (sign.length <= PICTURE_LENGTH_MAX && PICTURE.test(sign)) return 2
  const visible = sign.slice(start)
  const first = String.fromCodePoint(visible.codePointAt(0) ?? 0)
  const trailing =
    visible.length === first.length ? 0 : (visible.slice(first.length).match(TRAILING) ?? []).length
  return (WIDE.test(first) ? 2 : 1) + trailing
}

const PICTURE_LENGTH_MAX = 50
