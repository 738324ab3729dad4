import { expect, test } from 'vitest'
import { jsonOf } from './run-lines.ts'

const result = (text: string): unknown => {
  const line = { what: 'result', by: null, tool: 'look', text, isError: false } as const
  return (JSON.parse(jsonOf(line)) as { result: unknown }).result
}

test('for programs the arguments of a call are an object', () =>
  expect(JSON.parse(jsonOf({ what: 'called', by: null, tool: 'glob', args: { pattern: '*.md' } }))).toEqual({
    called: { by: null, tool: 'glob', args: { pattern: '*.md' } },
  }))

test.each([
  ['{"text":"3 files"}', { text: '3 files' }],
  ['{"error":"no such file"}', { text: 'no such file' }],
  ['{"files":["a.md"],"more":2}', { text: null, data: { files: ['a.md'], more: 2 } }],
  ['{"text":"a","more":2}', { text: null, data: { text: 'a', more: 2 } }],
  ['[1,2]', { text: null, data: [1, 2] }],
  ['{"text":"cut o', { text: '{"text":"cut o' }],
  ['plain words', { text: 'plain words' }],
])('for programs the result %s is words or an object, never JSON inside a string', (text, told) =>
  expect(result(text)).toEqual({ by: null, tool: 'look', isError: false, ...told }),
)
