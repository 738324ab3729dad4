export interface Piece {
  readonly text: string
  readonly isMarked: boolean
}

/** The text in pieces, with the words marked wherever they stand as whole words. */
export function markedPieces(text: string, words: readonly string[]): Piece[] {
  if (words.length === 0) return [{ text, isMarked: false }]
  const longestFirst = words.toSorted((a, b) => b.length - a.length)
  const word = new RegExp(
    `(?<![\\p{L}\\p{N}])(${longestFirst.map(escaped).join('|')})(?![\\p{L}\\p{N}])`,
    'u',
  )
  // Splitting by a group keeps what it matched, at every odd place.
  return text
    .split(new RegExp(word, 'gu'))
    .map((piece, index) => ({ text: piece, isMarked: index % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}

function escaped(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
