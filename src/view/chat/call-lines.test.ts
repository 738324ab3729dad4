import { expect, test } from 'vitest'
import { callDetails, callSummary, resultSummary } from './call-lines.ts'

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

test('of arguments the person sees words, and how many things a list has', () => {
  const args = {
    ids: ['k3f9ab', 'm2p8qz'],
    all: true,
    buttons: [{ label: 'Yes' }, { label: 'No' }],
    more: {},
  }
  expect(callSummary('x', JSON.stringify(args))).toBe('ids: k3f9ab, m2p8qz; all: true; buttons: 2; more: …')
})

test('a result without words that is an error is not called done', () =>
  expect(summary('{"code":7}', true)).toBe('from: 1 → failed'))

const fenced = (text: string): string => `<data source="SKILL-TOOL">\n${text}\n</data>`

test.each([
  [fenced('3'), '3'],
  [
    `{"text":"Page\\n${fenced('<b>')
      .replaceAll('"', String.raw`\"`)
      .replaceAll('\n', String.raw`\n`)}"}`,
    'Page <b>',
  ],
  ['<data source="SKILL-TOOL">\ncut off', 'cut off'],
  [fenced('{"items":[1,2]}'), '2 items'],
  [fenced('a &lt;data> b'), 'a <data> b'],
  [`stderr:\n${fenced('warning')}\nstdout:\n${fenced('3')}`, '3'],
])('of %s the person sees what is in the fence', (result, told) =>
  expect(summary(result)).toBe(`from: 1 → ${told}`),
)

test('of a program that failed the person sees first what it said last about it', () =>
  expect(
    summary(
      `git failed: exit code 128\nstderr:\n${fenced('hint: x\nfatal: not a git repository\n')}\nstdout:\n(no output)`,
      true,
    ),
  ).toBe('from: 1 → fatal: not a git repository (git failed: exit code 128)'))

test('the details of a call are all its arguments and its result without fences, up to a limit', () => {
  const args = JSON.stringify({ path: 'a.md', lines: [1, 2] })
  const text = '<data source="a.md">\none\ntwo\n</data>'
  const called = { tool: 'read', args, text, isError: false }
  expect(callDetails(called)).toBe('path: a.md\nlines: 1, 2\n→\none\ntwo')
  const result = {
    more: false,
    messages: [
      { at: 3, text: 'a\nb' },
      { at: 4, text: 'c' },
    ],
  }
  expect(callDetails({ ...called, args: '{}', text: JSON.stringify(result) })).toBe(
    [
      '→',
      'more: false',
      'messages:',
      '  - at: 3',
      '    text:',
      '      a',
      '      b',
      '  - at: 4',
      '    text: c',
    ].join('\n'),
  )
  expect(callDetails({ ...called, args: '{}', text: '{"text":"two\\nlines"}' })).toBe('→\ntwo\nlines')
  expect(callDetails({ ...called, text: 'x'.repeat(50_000) }).length).toBeLessThan(11_000)
})
