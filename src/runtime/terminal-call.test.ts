import { expect, test } from 'vitest'
import { resultSummary } from './terminal-call.ts'

const summary = (text: string, isError = false): string =>
  resultSummary({ tool: 'read_log', args: '{"from":1}', text, isError })

test.each([
  ['{"text":"two\\nlines"}', 'two lines'],
  ['{"error":"no such mark"}', 'no such mark'],
  ['plain words', 'plain words'],
  ['{"messages":[{"text":"a"},{"text":"b"},{"text":"c"}],"more":true}', '3 messages'],
  ['{"messages":[{"text":"a"}]}', '1 message'],
  ['{"branches":[1],"openTasks":[],"entries":[2]}', '1 branch, 0 open tasks, 1 entry'],
  ['{"ended":true}', 'done'],
  ['{"text":""}', 'done'],
  ['[{"a":1}]', 'done'],
  ['{"messages":[{"te', 'done'],
  ['', 'done'],
])('of the result %s the person sees words or a count, and never its data', (result, told) =>
  expect(summary(result)).toBe(`from: 1 → ${told}`),
)

test('a result without words that is an error is not called done', () =>
  expect(summary('{"code":7}', true)).toBe('from: 1 → failed'))
