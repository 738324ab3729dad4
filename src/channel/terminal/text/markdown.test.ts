import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stripVTControlCharacters } from 'node:util'
import { styleFor } from '../../../base/style.ts'
import { widthOf } from '../../../base/width.ts'
import { markdownLines } from './markdown.ts'
import { rounds } from '../../../../test/rounds.ts'

const shown = (text: string, columns = 60): string[] =>
  markdownLines(text, { style: styleFor('colour'), colour: 'colour', columns }).map((line) =>
    stripVTControlCharacters(line.text).trimEnd(),
  )
const plain = (text: string, columns = 60): string[] =>
  markdownLines(text, { style: styleFor('plain'), colour: 'plain', columns }).map((line) =>
    line.text.trimEnd(),
  )

describe('blocks', () => {
  test('have one empty line between them, however many the source has', () =>
    expect(shown('# Title\nText\n\n\n\nMore')).toEqual(['Title', '', 'Text', '', 'More']))

  test('lists keep their numbers and nest', () =>
    expect(shown('- a\n- b\n  - c\n\n3. x\n4. y')).toEqual(['• a', '• b', '  • c', '', '3. x', '4. y']))

  test('a box to tick stands before its text', () =>
    expect(shown('- [ ] open\n- [x] done')).toEqual(['• [ ] open', '• [x] done']))

  test('what continues a list item stands under it', () =>
    expect(shown('- one two three four', 12)).toEqual(['• one two', '  three four']))

  test('a quote has a bar, one for each level', () =>
    expect(shown('> a\n>> b')).toEqual(['│ a', '│', '│ │ b']))

  test('code keeps its spaces, is indented, and tells its language', () =>
    expect(shown('```ts\nif (a) {\n\treturn\n}\n```')).toEqual([
      '── ts',
      '  if (a) {',
      '      return',
      '  }',
    ]))

  test('a fence that is still open is code already', () =>
    expect(shown('Look:\n\n```\n**not bold')).toEqual(['Look:', '', '  **not bold']))

  test('a table is aligned, by columns of the terminal', () =>
    expect(shown('| a | b |\n|---|--:|\n| 电车 | 1 |\n| x | 22 |')).toEqual([
      'a    │  b',
      '─────┼───',
      '电车 │  1',
      'x    │ 22',
    ]))

  test('a cell that is too long is wrapped inside its column', () =>
    expect(shown('| a | b |\n|---|---|\n| x | one two three four |', 20)).toEqual([
      'a │ b',
      '──┼─────────────────',
      'x │ one two three',
      '  │ four',
    ]))

  test('a table without room becomes one line for each cell', () =>
    expect(shown('| ab | cd |\n|---|---|\n| x | y |\n| 1 | 2 |', 10)).toEqual([
      'ab: x',
      'cd: y',
      '',
      'ab: 1',
      'cd: 2',
    ]))

  test('code and tables may be wider than the text', () => {
    const look = { style: styleFor('colour'), colour: 'colour', columns: 100, spare: 60 } as const
    const widths = (text: string): number[] => markdownLines(text, look).map(({ width }) => width)
    const words = 'word '.repeat(200)
    for (const text of [words, `- ${words}`, `> ${words}`])
      expect(Math.max(...widths(text))).toBeLessThanOrEqual(100)
    expect(widths(`\`\`\`\n${'x'.repeat(150)}\n\`\`\``)).toEqual([152])
    expect(Math.max(...widths(`|a|b|\n|-|-|\n|${words}|c|`))).toBe(160)
  })
})

describe('code', () => {
  const tags = { dim: 'c', green: 's', yellow: 'n', cyan: 'k', red: 'r' } as const
  const tagging = Object.entries(tags).map(([name, tag]) => [
    name,
    (text: string) => (text === '' ? '' : `<${tag}>${text}</${tag}>`),
  ])
  const style = { ...styleFor('plain'), ...(Object.fromEntries(tagging) as object) }
  const painted = (language: string, code: string): string[] =>
    markdownLines(`\`\`\`${language}\n${code}\n\`\`\``, { style, colour: 'colour', columns: 80 })
      .slice(language === '' ? 0 : 1)
      .map(({ text }) => text.trim())

  test.each([
    ['ts', 'const a = 12 // why', ['<k>const</k> a = <n>12</n> <c>// why</c>']],
    ['js', 'f("a // \\" b", x)', ['f(<s>"a // \\" b"</s>, x)']],
    ['python', 'def f(): # no', ['<k>def</k> f(): <c># no</c>']],
    ['sh', 'echo $#a', ['echo $#a']],
    ['sql', "SELECT 'x' -- all", ["<k>SELECT</k> <s>'x'</s> <c>-- all</c>"]],
    ['ts', 'a /* one\ntwo */ return', ['a <c>/* one</c>', '<c>two */</c> <k>return</k>']],
    ['py', '"""one\ntwo""" + 1', ['<s>"""one</s>', '<s>two"""</s> + <n>1</n>']],
    ['diff', '+a\n-b\n c', ['<s>+a</s>', '<r>-b</r>', 'c']],
    ['brainfoo', 'if 1', ['<k>if 1</k>']],
    ['', 'if 1', ['<k>if 1</k>']],
  ])('in %s, %j has its comments, strings, numbers and keywords painted', (language, code, lines) =>
    expect(painted(language, code)).toEqual(lines),
  )
})

describe('inside a block', () => {
  test('the address of a link is told, unless it is the text', () =>
    expect(shown('[docs](https://a.example) and https://b.example')).toEqual([
      'docs (https://a.example) and https://b.example',
    ]))

  test('a line break in the source is a space, two spaces before it make it a break', () =>
    expect(shown('a\nb  \nc')).toEqual(['a b', 'c']))

  test('escaped signs and entities are what they stand for', () =>
    expect(shown('a \\* b &amp; c &lt;d&gt;')).toEqual(['a * b & c <d>']))

  test('emphasis, code and links look different from plain text', () => {
    const [line] = markdownLines('**b** *i* `c` ~~s~~', {
      style: styleFor('colour'),
      colour: 'colour',
      columns: 60,
    })
    for (const code of ['[1m', '[3m', '[36m', '[9m']) expect(line?.text).toContain(`\u001B${code}`)
  })
})

test('without colours the marks of Markdown stay', () =>
  expect(plain('# Title\n\n**b** *i* `c` ~~s~~')).toEqual(['# Title', '', '**b** *i* `c` ~~s~~']))

test('an entity cannot smuggle in an escape sequence', () =>
  expect(plain('&#27;]52;c;eA==&#7; &#x1b;[2J')).toEqual(['␛]52;c;eA==␇ ␛[2J']))

test.each([
  ['nested beyond all measure', '>'.repeat(20_000)],
  ['one endless line', '_a'.repeat(20_000)],
  ['lists in lists', Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth * 2)}- x`).join('\n')],
])('Markdown that is %s is shown somehow, and soon', (_, text) => {
  expect(shown(text).join('').length).toBeGreaterThan(0)
})

const sign = fc.constantFrom(
  '#',
  '*',
  '_',
  '`',
  '```',
  '\n',
  '\n\n',
  '> ',
  '- ',
  '1. ',
  '|',
  '|-|',
  '[',
  '](',
  ')',
  '<b>',
  '&#27;',
  '~~',
  '    ',
  '\u001B[2J',
  '\u001B]52;c;x\u0007',
  '电',
  '👩‍👩‍👧‍👦',
  '\u202E',
  'word ',
  'a',
)
const source = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.array(sign, { maxLength: 60 }).map((signs) => signs.join('')),
)

test('whatever a model writes, no line is wider than the terminal or carries a control character', () =>
  fc.assert(
    fc.property(source, fc.integer({ min: 2, max: 90 }), (text, columns) => {
      for (const line of markdownLines(text, { style: styleFor('plain'), colour: 'plain', columns })) {
        expect(line.text).not.toMatch(/[\p{Cc}\u{202A}-\u{202E}]/u)
        expect(widthOf(line.text)).toBeLessThanOrEqual(columns)
      }
      for (const { text: coloured } of markdownLines(text, {
        style: styleFor('colour'),
        colour: 'colour',
        columns,
      }))
        // What is left after the colours of our own.
        expect(coloured.replaceAll(/\p{Cc}\[\d+m/gu, '')).not.toMatch(/\p{Cc}/u)
    }),
    { numRuns: rounds(500) },
  ))
