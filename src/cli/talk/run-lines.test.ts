import { expect, test } from 'vitest'
import { makeBranchId } from '../../event/id.ts'
import type { Event, Message } from '../../event/event.ts'
import { RunView } from './run-lines.ts'

const run = makeBranchId(0, () => 0)
const jsonOf = (message: Message): unknown => {
  const added = {
    kind: 'message-added',
    v: 1,
    position: 1,
    at: 0,
    branch: run,
    turn: null,
    message,
    tokens: 1,
  }
  return new RunView(run).linesOf(added as Event)[0]?.json
}
const result = (text: string): unknown =>
  (jsonOf({ role: 'tool', call: 'a', tool: 'look', text }) as { result: unknown }).result

test('for programs the arguments of a call are an object', () => {
  const calls = [{ id: 'a', tool: 'glob', args: { pattern: '*.md' } }]
  expect(jsonOf({ role: 'assistant', text: '', calls })).toEqual({
    called: { by: null, tool: 'glob', args: { pattern: '*.md' } },
  })
})

test.each([
  ['{"text":"3 files"}', { text: '3 files' }],
  ['{"error":"no such file"}', { text: 'no such file' }],
  ['{"files":["a.md"],"more":2}', { text: null, data: { files: ['a.md'], more: 2 } }],
  ['{"text":"a","more":2}', { text: null, data: { text: 'a', more: 2 } }],
  ['[1,2]', { text: null, data: [1, 2] }],
  ['{"text":"cut o', { text: '{"text":"cut o' }],
  ['plain words', { text: 'plain words' }],
])('for programs the result %s is words or an object, never JSON inside a string', (text, told) =>
  expect(result(text)).toMatchObject({ by: null, tool: 'look', ...told }),
)
