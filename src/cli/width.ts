/** Characters that take two columns of a terminal: CJK, Hangul, full-width forms, pictures. */
const WIDE =
  /[\u{1100}-\u{115F}\u{2E80}-\u{303E}\u{3041}-\u{A4CF}\u{AC00}-\u{D7A3}\u{F900}-\u{FAFF}\u{FE30}-\u{FE4F}\u{FF00}-\u{FF60}\u{FFE0}-\u{FFE6}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\u{FE0F}/u
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export function widthOf(text: string): number {
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1
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
    width += WIDE.test(segment) ? 2 : 1
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
