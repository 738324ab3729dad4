import { expect, test } from 'vitest'
import { partDifference } from './piece-difference.ts'
import type { Piece } from './prompt-pieces.ts'

const message = (text: string, label = 'person'): Piece => ({
  kind: 'messages',
  part: 'messages',
  name: null,
  label,
  text,
  tokens: 1,
  position: null,
})
const section = (text: string): Piece => ({ ...message(text, 'memory.md'), kind: 'memory', name: 'memory' })
const messages = (...texts: string[]): Piece[] => texts.map((text) => message(text))
const shown = ({ lines }: ReturnType<typeof partDifference>): string[] =>
  lines.map(({ op, text }) => `${{ same: ' ', added: '+', gone: '-', moved: '~', skip: '…' }[op]} ${text}`)

test('what is the same is counted, except right beside a change', () => {
  const found = partDifference(messages('a', 'b', 'c', 'd'), messages('a', 'b', 'c', 'd', 'e'))
  expect(found).toMatchObject({ state: 'changed', unit: 'piece', added: 1, gone: 0, moved: 0 })
  expect(shown(found)).toEqual(['… 2 messages', '  c', '  d', '+ e'])
  expect(partDifference(messages('a'), messages('a'))).toMatchObject({ state: 'same', lines: [] })
})

test('a message that stands elsewhere was moved, neither added nor taken out', () => {
  const found = partDifference(messages('a', 'b', 'c'), messages('b', 'c', 'a', 'd'))
  expect(found).toMatchObject({ added: 1, gone: 0, moved: 1 })
  expect(shown(found)).toEqual(['  b', '  c', '~ a', '+ d'])
})

test('as often as it is there: two of three that are the same went', () => {
  expect(partDifference(messages('a', 'a', 'a'), messages('a'))).toMatchObject({
    added: 0,
    gone: 2,
    moved: 0,
  })
})

test('the same words of another speaker are another message', () => {
  const found = partDifference([message('ok')], [message('ok', 'assistant')])
  expect(found).toMatchObject({ added: 1, gone: 1 })
})

test('a text that is one piece is compared line by line', () => {
  const found = partDifference([section('# Memory\n- tea')], [section('# Memory\n- tea\n- no sugar')])
  expect(found).toMatchObject({ state: 'changed', unit: 'line', added: 1, gone: 0 })
  expect(shown(found)).toEqual(['  # Memory', '  - tea', '+ - no sugar'])
})

test('a part that was not there is new, and one that is not there any more is gone', () => {
  expect(partDifference([], [section('- tea')])).toMatchObject({ state: 'new', added: 1 })
  expect(partDifference([section('- tea')], [])).toMatchObject({ state: 'gone', gone: 1 })
})
