import { markdownSpans, plainText } from './spans.ts'
import { piecesOf, textOf } from './pieces.ts'

/** Markdown as messages of plain text. */
export function plainPieces(markdown: string, unitsMax: number): string[] {
  const text = plainText(markdownSpans(markdown))
  return piecesOf([{ text, look: {} }], { unitsMax }).map(textOf)
}
