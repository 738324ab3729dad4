import { expect, test } from 'vitest'
import { lexed } from './lex.ts'

const kinds = (text: string): string[] => lexed(text).map(({ type }) => type)
const raw = (text: string): string =>
  lexed(text)
    .map((token) => token.raw)
    .join('')

test('a long text has the tokens of its parts, and each character once', () => {
  const part = 'Some **words**.\n\n1. one\n\n   more of it\n2. two\n\n```\ncode\n\n- no list\n```\n\n'
  const text = part.repeat(500)
  expect(kinds(text).filter((kind) => kind !== 'space')).toEqual(
    Array.from({ length: 500 }, () => ['paragraph', 'list', 'code']).flat(),
  )
  expect(raw(text)).toBe(text)
})

test('a link may be defined far from where it is used', () => {
  const [first] = lexed(`See [docs][1].\n\n${'words\n\n'.repeat(5_000)}[1]: https://a.example`)
  expect(JSON.stringify(first)).toContain('"href":"https://a.example"')
})

test('a long block of code stays whole', () =>
  expect(kinds(`\`\`\`\n${'a\n\n- b\n'.repeat(5_000)}\`\`\``)).toEqual(['code']))

test('nesting beyond measure is shown as it is, and the rest as Markdown', () =>
  expect(kinds(`# Title\n\n${'> '.repeat(40)}a\n`.padEnd(20_000, 'word\n\n'))).toContain('paragraph'))
