import stringWidth from 'string-width'

/** What is searched for is one character: an expression for the whole text would need stack for each character. */
const NOT_ASCII = /[^\x20-\x7E]/
const NOT_ASCII_LINES = /[^\n\x20-\x7E]/
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** What a person takes for one sign, and the columns that it needs. */
export interface Sign {
  readonly text: string
  readonly width: number
}

export function signsOf(text: string): Sign[] {
  if (!NOT_ASCII_LINES.test(text)) return Array.from(text, asciiSign)
  return Array.from(graphemes.segment(text), ({ segment }) => ({ text: segment, width: signWidth(segment) }))
}

export function widthOf(text: string): number {
  if (!NOT_ASCII.test(text)) return text.length
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

/** Longer lines of text tire the eye. Code and tables may be wider. */
const TEXT_COLUMNS_MAX = 100

/** The width at which all text wraps in a terminal of so many columns. */
export function textWidth(columns: number): number {
  return Math.min(columns, TEXT_COLUMNS_MAX)
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/** The words in lines of at most so many columns. */
export function filledLines(words: readonly string[], columns: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const longer = `${lines.at(-1) ?? ''} ${word}`
    if (lines.length > 0 && widthOf(longer) <= columns) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/**
 * Each paragraph and each row of a text on one line, wherever its source breaks them: an empty line ends a paragraph,
 * two spaces begin a row, and a deeper indent continues it.
 */
export function unbroken(text: string): string {
  return text.replaceAll(/(?<=^\S.*)\n(?=\S)|(?<=\S)\n {3,}(?=\S)/gm, ' ')
}

/** Rows with each column as wide as its widest cell. */
export function tableRows(rows: readonly (readonly string[])[]): string[] {
  const widthIn = (column: number): number =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), 0)
  const widths = rows[0]?.map((_, column) => widthIn(column)) ?? []
  const padded = rows.map((row) => row.map((cell, column) => padTo(cell, widths[column] ?? 0)))
  return padded.map((cells) => cells.join('  ').trimEnd())
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
  return NOT_ASCII.test(sign) ? stringWidth(sign, { countAnsiEscapeCodes: true }) : sign.length
}
