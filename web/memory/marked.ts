export interface Piece {
  readonly text: string
  readonly isMarked: boolean
}

/** The text in pieces, with the words marked wherever they stand. */
export function markedPieces(text: string, words: readonly string[]): Piece[] {
  if (words.length === 0) return [{ text, isMarked: false }]
  const longestFirst = words.toSorted((a, b) => b.length - a.length)
  // Splitting by a group keeps what it matched, at every odd place.
  return text
    .split(new RegExp(`(${longestFirst.map(patternOf).join('|')})`, 'u'))
    .map((piece, index) => ({ text: piece, isMarked: index % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}

/** Writing without blanks between words: a word may stand anywhere in a run of letters. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}]/u
const LETTER = String.raw`[\p{L}\p{N}\p{M}]`

function patternOf(word: string): string {
  const escaped = word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return UNSPACED.test(word) ? escaped : `(?<!${LETTER})${escaped}(?!${LETTER})`
}

/** Prose without the signs of Markdown, for excerpts. Words stay as they are. */
export function withoutSigns(text: string): string {
  return text
    .replaceAll(/^```.*$/gmu, '')
    .replaceAll(/!?\[([^\]\n]*)\]\([^)\s]*\)/gu, '$1')
    .replaceAll(/^#{1,6} +/gmu, '')
    .replaceAll(/(?<![\p{L}\p{N}])(\*\*|__|`)(?=\S)(.+?)(?<=\S)\1(?![\p{L}\p{N}])/gu, '$2')
}
