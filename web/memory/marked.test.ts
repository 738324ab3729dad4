import { expect, test } from 'vitest'
import { markedPieces, withoutSigns } from './marked.ts'

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

test.each([
  ['leaves **Genoa at 22:30** now', 'leaves Genoa at 22:30 now'],
  ['I started `notes/sicily.md`.', 'I started notes/sicily.md.'],
  ['## Plan\n- [ferries](https://gnv.example) first', 'Plan\n- ferries first'],
  ['2 ** 3 and 4 ** 5, a`b', '2 ** 3 and 4 ** 5, a`b'],
  ['**not\nbold**', '**not\nbold**'],
])('%j is read as %j', (text, read) => {
  expect(withoutSigns(text)).toBe(read)
})
