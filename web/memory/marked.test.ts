import { expect, test } from 'vitest'
import { markedPieces } from './marked.ts'

function shown(text: string, words: readonly string[]): string {
  return markedPieces(text, words)
    .map((piece) => (piece.isMarked ? `<${piece.text}>` : piece.text))
    .join('')
}

test.each([
  ['The ferry to Porto', ['ferry', 'Porto'], 'The <ferry> to <Porto>'],
  ['ferryman, ferry', ['ferry'], 'ferryman, <ferry>'],
  ['Über über', ['Über'], '<Über> über'],
  ['a.b (a+b) $& \\1', ['a+b'], 'a.b (<a+b>) $& \\1'],
  ['O-Brien', ['O-Brien', 'O'], '<O-Brien>'],
  ['nothing', [], 'nothing'],
  ['東京の天気', ['東京'], '<東京>の天気'],
])('%j with %j is %j', (text, words, marked) => {
  expect(shown(text, words)).toBe(marked)
})
