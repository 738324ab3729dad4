import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../test/rounds.ts'
import { formatted, type Formatted, isEmpty, TEXT_MAX } from '../../../test/stand-ins/telegram/formatted.ts'
import { piecesOf } from './pieces.ts'
import { markdownSpans, plainText, textOf } from './spans.ts'
import { telegramPieces } from './telegram.ts'

const split = (markdown: string, unitsMax?: number): string[] =>
  telegramPieces(markdown, unitsMax).map((piece) => piece.html)
const html = (markdown: string): string[] => split(markdown)

describe('Markdown as Telegram shows it', () => {
  test.each([
    ['# Title\nText', '<b>Title</b>\n\nText'],
    ['**b** *i* ~~s~~ `c`', '<b>b</b> <i>i</i> <s>s</s> <code>c</code>'],
    ['**b *bi* b**', '<b>b <i>bi</i> b</b>'],
    ['one\ntwo  \nthree', 'one\ntwo\nthree'],
    ['- a\n- b\n  - c\n    more\n\n3. x\n4. y', '• a\n• b\n  • c\n    more\n\n3. x\n4. y'],
    ['- [ ] open\n- [x] done', '• [ ] open\n• [x] done'],
    ['- a\n\n  b\n- c', '• a\n\n  b\n\n• c'],
    ['> a **b**\n>\n> c\n>> d', '<blockquote>a <b>b</b>\n\nc\n\n&gt; d</blockquote>'],
    ['- a\n  > b', '• a\n  &gt; b'],
    ['- a  \n  \u001Bb', '• a\n  b'],
    [
      '```ts\nif (a < b) {\n\tf()\n}\n```',
      '<pre><code class="language-ts">if (a &lt; b) {\n    f()\n}</code></pre>',
    ],
    ['```\n**x**', '<pre>**x**</pre>'],
    ['- a\n  ```sh\n  ls\n    -l\n  ```', '• a\n<pre><code class="language-sh">ls\n  -l</code></pre>'],
    ['| a | b |\n|---|--:|\n| 电车 | 1 |', '<pre>a    │ b\n─────┼──\n电车 │ 1</pre>'],
    [
      '[docs](https://a.example/?a=1&b=%22)',
      '<a href="https://a.example/?a=1&amp;b=%22">docs</a> (a.example)',
    ],
    ['[**d**ocs](https://a.example)', '<a href="https://a.example"><b>d</b>ocs</a> (a.example)'],
    ['https://a.example and a@b.example', 'https://a.example and a@b.example'],
    ['[`code`](https://a.example)', '<a href="https://a.example">code</a> (a.example)'],
    ['**`code`**', '<code>code</code>'],
    ['![cat](https://a.example/c.png)', '<a href="https://a.example/c.png">[image: cat]</a> (a.example)'],
    ['a <b>b</b> &amp; &lt;c&gt; \\*', 'a &lt;b&gt;b&lt;/b&gt; &amp; &lt;c&gt; *'],
    ['a<br>b\n\n---\n\nc', 'a\nb\n\n──────────\n\nc'],
  ])('%j', (markdown, shown) => expect(html(markdown)).toEqual([shown]))

  test.each([
    'javascript:alert(1)',
    './notes.md',
    'http://localhost:7420',
    'https://bank.example@evil.example',
  ])('a link to %s, which Telegram or a person might misread, shows its address', (address) =>
    expect(html(`[here](${address})`)).toEqual([`here (${address})`]),
  )

  test.each([
    ['[bank.com](https://k.co.example/)', '<a href="https://k.co.example/">bank.com</a> (k.co.example)'],
    [
      '[https://bank.example](https://evil.example)',
      '<a href="https://evil.example">https://bank.example</a> (evil.example)',
    ],
    ['[https://evil.example](https://evil.example)', 'https://evil.example'],
    ['[**b.example**](http://b.example)', '<b>b.example</b>'],
    ['[https://\u0430pple.com](https://\u0430pple.com)', 'https://\u0430pple.com (xn--pple-43d.com)'],
    [
      '[![https://bank.example](https://a.example/c.png)](https://evil.example)',
      '<a href="https://evil.example">[image: https://bank.example]</a> (evil.example)',
    ],
  ])('[LINK1] %s shows where it leads', (markdown, shown) => expect(html(markdown)).toEqual([shown]))

  test('a table that is too wide for a phone is a list of its cells', () =>
    expect(html(`| a | b |\n|---|---|\n| ${'x'.repeat(80)} | *y* |\n| 1 | 2 |`)).toEqual([
      `<b>a</b>: ${'x'.repeat(80)}\n<b>b</b>: <i>y</i>\n\n<b>a</b>: 1\n<b>b</b>: 2`,
    ]))

  test('so is one of which only the header is written yet', () =>
    expect(html(`| a | ${'x'.repeat(80)} |\n|---|---|`)).toEqual([`<b>a</b>\n<b>${'x'.repeat(80)}</b>`]))

  test('plain text tells addresses and marks quotes', () =>
    expect(plainText(markdownSpans('**See** [docs](https://a.example).\n\n> a\n>\n> b'))).toBe(
      'See docs (https://a.example).\n\n> a\n\n> b',
    ))
})

describe('a long answer', () => {
  test('is split between paragraphs, else between lines, else between words, else between signs', () => {
    expect(split('one two\n\nthree\nfour', 14)).toEqual(['one two', 'three\nfour'])
    expect(split('one two\nthree four', 14)).toEqual(['one two', 'three four'])
    expect(split('one two three four', 14)).toEqual(['one two three', 'four'])
    expect(split('aaaaaaaaaaaaaaaaaaaa', 14)).toEqual(['a'.repeat(14), 'a'.repeat(6)])
  })

  test('has its code closed and opened again, with its language and its indents', () =>
    expect(split('```py\ndef f():\n    return 1\n    # end\n```', 22)).toEqual([
      '<pre><code class="language-py">def f():\n    return 1</code></pre>',
      '<pre><code class="language-py">    # end</code></pre>',
    ]))

  test('keeps a block of code whole where it can', () =>
    expect(split('Some words before.\n\n```\na\n\nb\n```', 22)).toEqual([
      'Some words before.',
      '<pre>a\n\nb</pre>',
    ]))

  test('is never split inside an emoji, a pair of surrogates or an escaped sign', () => {
    expect(split('👩‍👩‍👧‍👦'.repeat(4), 25)).toEqual(['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦👩‍👩‍👧‍👦'])
    for (const text of [`a${'\u0301'.repeat(30)}😀`, '👩\u200D'.repeat(20)])
      expect(split(text, 10).every((piece) => piece.isWellFormed())).toBe(true)
    expect(split('<<<<<<', 4)).toEqual(['&lt;&lt;&lt;&lt;', '&lt;&lt;'])
  })

  test('begins a new message before looks or the addresses of links are too many for one', () => {
    for (const word of ['`a` ', `[a](https://a.example/${'&'.repeat(1_000)}) `]) {
      const pieces = telegramPieces(word.repeat(150))
      expect(pieces.length).toBeGreaterThan(1)
      for (const piece of pieces) expect(formatted(piece.html, 'HTML').dropped).toEqual([])
    }
  })

  test('keeps its first messages as they are while more is written', () => {
    const words = Array.from({ length: 90 }, (_, index) => `word${index}${index % 7 === 0 ? '\n\n' : ' '}`)
    const whole = split(words.join(''), 100)
    for (let count = 30; count < 90; count += 7) {
      const settled = split(words.slice(0, count).join(''), 100).slice(0, -1)
      expect(whole.slice(0, settled.length)).toEqual(settled)
    }
  })
})

test.each(['', ' \n ', '```\n\n```', '\u200B\u200B', '[a]: https://a.example'])(
  '%j has nothing to show and is no message',
  (markdown) => expect(telegramPieces(markdown)).toEqual([]),
)

const sign = fc.constantFrom(
  '#',
  '*',
  '**',
  '_',
  '`',
  '```',
  '```ts\n',
  '\n',
  '\n\n',
  '> ',
  '- ',
  '  ',
  '    ',
  '1. ',
  '|',
  '|a|b|\n|-|-|\n',
  '[',
  '](https://a.example)',
  '](x:y)',
  ')',
  '![',
  '<b>',
  '</b>',
  '<br>',
  '&lt;',
  '&#27;',
  '&',
  '"',
  '~~',
  '---\n',
  '\u001B[2J',
  '\u0000',
  '\r\n',
  '\t',
  '\u2028',
  '\u202E',
  '\uD83D',
  '电',
  '👩‍👩‍👧‍👦',
  'e\u0301',
  'word ',
  'a',
  'https://b.example ',
)
const source = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.array(sign, { maxLength: 120 }).map((signs) => signs.join('')),
)
const single = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
const spaceless = (text: string): string => text.replaceAll(/\s/g, '')

test('whatever a model writes, Telegram accepts it, shows all of it in order, and drops no look', () =>
  fc.assert(
    fc.property(source, fc.integer({ min: 20, max: 300 }), (markdown, unitsMax) => {
      const pieces = telegramPieces(markdown, unitsMax)
      const shown = pieces.map((piece) => formatted(piece.html, 'HTML'))
      for (const [index, { text, dropped }] of shown.entries()) {
        expect(text).toBe(pieces[index]?.text.replace(/^[ \n]+/, ''))
        expect(text.length).toBeLessThanOrEqual(unitsMax)
        expect(text.isWellFormed()).toBe(true)
        expect(isEmpty(text)).toBe(false)
        expect(dropped).toEqual([])
      }
      const whole = textOf(markdownSpans(markdown))
      // A message of invisible characters only is left out.
      if (!/[\p{C}\p{Default_Ignorable_Code_Point}]/u.test(whole))
        expect(spaceless(shown.map(({ text }) => text).join(''))).toBe(spaceless(whole))
    }),
    { numRuns: rounds(5_000) },
  ))

test('what Telegram shows is the plain text, which tells addresses and marks quotes', () =>
  fc.assert(
    fc.property(source, (markdown) => {
      const shown = telegramPieces(markdown).map(({ html }) => told(formatted(html, 'HTML')))
      const plain = plainText(markdownSpans(markdown))
      // Telegram leaves out spaces at the end of a message, also inside a link.
      expect(single(shown.join(''))).toBe(isEmpty(plain) ? '' : single(plain))
      for (const piece of piecesOf([{ text: plain, look: {} }], { unitsMax: 50 }))
        expect(textOf(piece).length).toBeLessThanOrEqual(50)
    }),
    { numRuns: rounds(3_000) },
  ))

/** The text of a message with its links told in place of their hosts, and its quotes marked. */
function told({ text, entities }: Formatted): string {
  const links = entities.filter((entity) => entity.type === 'text_link')
  const quotes = entities.filter(({ type }) => type === 'blockquote')
  let skipped = 0
  return Array.from({ length: text.length + 1 }, (_, at) => {
    const link = links.find(({ offset, length }) => offset + length === at)
    const host = link === undefined ? '' : ` (${new URL(link.url ?? '').host})`
    if (text.startsWith(host, at)) skipped = Math.max(skipped, at + host.length)
    const isQuoted = quotes.some(({ offset, length }) => offset <= at && at < offset + length)
    const isLineStart = at === 0 || text[at - 1] === '\n'
    const mark = isQuoted && isLineStart && text[at] !== '\n' ? '> ' : ''
    return (link === undefined ? '' : ` (${link.url})`) + (at < skipped ? '' : mark + text.charAt(at))
  }).join('')
}

const times = (text: string, length = 100_000): string => text.repeat(Math.ceil(length / text.length))

test.each([
  ['without a space', times('a')],
  ['of spaces', `a${times(' ')}`],
  ['of emoji without a space', times('👩‍👩‍👧‍👦')],
  ['of combining marks', `a${times('\u0301')}`],
  ['of backticks', times('`')],
  ['of backticks in lines', times('`\n')],
  ['of unclosed emphasis', times('**a* ')],
  ['of unclosed emphasis in lines', times(`${'**a* '.repeat(20)}\n`)],
  ['of open brackets', times('[')],
  ['of unbalanced tags', times('<b><i></b>')],
  ['of quotes in quotes', times('>')],
  ['of lists in lists', times('- ')],
  ['of ever deeper lists', Array.from({ length: 310 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')],
  ['of ever deeper quotes', Array.from({ length: 440 }, (_, depth) => `${'>'.repeat(depth)}x`).join('\n')],
  ['in one list item', `- a\n${times('  b\n')}`],
  ['after a deep quote', `${'>'.repeat(30)}a\n${times('b  \n')}`],
  ['in a table with one wide cell', `|a|b|\n|-|-|\n|${times('a', 50_000)}|b|\n${times('|a|b|\n', 50_000)}`],
  [
    'in a table of a thousand columns',
    `${times('|a', 2_000)}|\n${times('|-', 2_000)}|\n${times(`${times('|a', 2_000)}|\n`)}`,
  ],
  ['of control characters', times('\u0000\u001B\u202E')],
  ['of code without an end', `\`\`\`\n${times('x = 1\n\n')}`],
])('100 kB %s are rendered, and soon', (_, markdown) => {
  for (const piece of telegramPieces(markdown)) {
    const shown = formatted(piece.html, 'HTML')
    expect(shown.text.length).toBeLessThanOrEqual(TEXT_MAX)
    expect(shown.dropped).toEqual([])
  }
})
