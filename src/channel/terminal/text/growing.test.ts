import fc from 'fast-check'
import { expect, test } from 'vitest'
import { styleFor } from '../../../base/style.ts'
import { widthOf } from '../../../base/width.ts'
import { GrowingMarkdown } from './growing.ts'
import { markdownLines } from './markdown.ts'

const look = { style: styleFor('plain'), colour: 'plain', columns: 60 } as const
const texts = (lines: readonly { text: string }[]): string[] => lines.map(({ text }) => text.trimEnd())

function grown(text: string, sizes: readonly number[]): GrowingMarkdown {
  const growing = new GrowingMarkdown(look)
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    growing.add(text.slice(at, at + size))
    growing.last(10)
    at += size
  }
  return growing
}

const DOCUMENT = `# Title

A paragraph with **bold**, *italics*, \`code\` and a [link](https://a.example),
which goes on in the next line.

Setext
------

- one
- two
  - nested, with a long text that has to be wrapped somewhere
  - more

  \`\`\`sh
  npm test
  \`\`\`
- three

1. first
2. second

> A quote
> of two lines

\`\`\`ts
const a = 1

# no heading
\`\`\`
Right after it.

| a | b |
|---|--:|
| 1 | \`2\` |
| 电车 | 👩‍👩‍👧‍👦 |

---

~~~
still \`\`\` open
`

test('written in any pieces, a text ends up as it looks in one', () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }), (sizes) => {
      expect(texts(grown(DOCUMENT, sizes).last(1e6).lines)).toEqual(texts(markdownLines(DOCUMENT, look)))
    }),
  ))

const signs = [
  '```',
  '~~~\n',
  '\n',
  '\n\n',
  '- ',
  '1. ',
  '> ',
  '|a|b|\n|-|-|\n',
  '**',
  '`',
  '# ',
  '\u001B[2J',
  '电车 ',
]
const sign = fc.constantFrom(...signs)

test('whatever is written in whatever pieces, every line fits and carries no control character', () =>
  fc.assert(
    fc.property(
      fc.array(fc.oneof(sign, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 60 }),
      (pieces) => {
        const growing = new GrowingMarkdown(look)
        for (const piece of pieces) {
          growing.add(piece)
          for (const line of growing.last(1e6).lines) {
            expect(line.text).not.toMatch(/\p{Cc}/u)
            expect(widthOf(line.text)).toBeLessThanOrEqual(look.columns)
          }
        }
      },
    ),
  ))

test('at every moment the last lines are shown, and how many are above', () => {
  const growing = grown('a\n\nb\n\nc\n\nd', [1])
  expect(growing.last(3)).toEqual({
    lines: [
      { text: 'c', width: 1 },
      { text: '', width: 0 },
      { text: 'd', width: 1 },
    ],
    above: 4,
  })
  expect(texts(growing.last(100).lines)).toEqual(['a', '', 'b', '', 'c', '', 'd'])
})

test.each([
  ['```ts\nconst a', ['── ts', '  const a']],
  ['```ts\nconst a = 1\n``', ['── ts', '  const a = 1']],
  ['```\nx\n```\nafter', ['  x', '', 'after']],
  ['~~~\n```\n~~', ['  ```']],
  ['Some text\n``', ['Some text']],
  ['Some text\n-', ['Some text']],
  ['Some text\n==', ['Some text']],
  ['1. one\n2', ['1. one']],
  ['this is **bo', ['this is **bo**']],
  ['this is `co', ['this is `co`']],
  ['2 ** 3 is', ['2 ** 3 is']],
])('%j, half written, looks as it will', (text, lines) =>
  expect(texts(grown(text, [1]).last(50).lines)).toEqual(lines),
)

test.each(['', 'ts'])('long code of the language %j looks as in one, during and after', (language) => {
  const text = `Look:\n\n\`\`\`${language}\n${'const a = 1\n'.repeat(2_000)}\`\`\`\nDone.`
  const growing = grown(text.slice(0, 20_000), [900])
  expect(texts(growing.last(1e6).lines)).toEqual(texts(markdownLines(text.slice(0, 20_000), look)))
  for (const piece of text.slice(20_000).match(/[^]{1,900}/g) ?? []) growing.add(piece)
  expect(texts(growing.last(1e6).lines)).toEqual(texts(markdownLines(text, look)))
})

test('a text keeps its lines when the width changes', () => {
  const growing = grown(DOCUMENT, [50])
  growing.relook({ ...look, columns: 40 })
  expect(texts(growing.last(1e6).lines)).toEqual(texts(markdownLines(DOCUMENT, { ...look, columns: 40 })))
})

test.each([
  ['one list', '- an item with **bold** text\n'],
  ['one block of code', 'const a = 1\n'],
  ['one paragraph', 'words and more words\n'],
])('%s without end is shown frame by frame', (_, line) => {
  const growing = new GrowingMarkdown(look)
  growing.add(line.startsWith('const') ? '```\n' : '')
  for (let count = 0; count < 200; count++) {
    growing.add(line.repeat(Math.ceil(1_000 / line.length)))
    growing.last(20)
  }
})
