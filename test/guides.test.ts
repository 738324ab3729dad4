import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { elided, isSame } from '../scripts/guides/compare.ts'
import { readPage } from '../scripts/guides/steps.ts'

const fenced = (info: string, ...lines: readonly string[]): string =>
  ['```' + info, ...lines, '```'].join('\n')

describe('a page', () => {
  test('gives its steps in order, with the lines that they fill', () => {
    const page = [
      '<!-- guides: setup',
      'touch a',
      '-->',
      fenced('md file=~/b.md', 'text'),
      fenced('chat', '› one', '', 'Two.', '', '(2 minutes later)', '', '› a long line that', '  goes on'),
      fenced('screen /re'),
    ].join('\n')
    expect(readPage(page).steps).toEqual([
      { kind: 'setup', script: 'touch a' },
      { kind: 'file', path: '~/b.md', text: 'text\n' },
      {
        kind: 'chat',
        from: 7,
        to: 15,
        begins: 'with-act',
        acts: [
          { kind: 'say', text: 'one' },
          { kind: 'wait', line: '(2 minutes later)', ms: 120_000 },
          { kind: 'say', text: 'a long line that goes on' },
        ],
      },
      { kind: 'screen', from: 17, to: 17, keys: '/re' },
    ])
  })

  test('has commands with their here-documents', () => {
    const page = fenced('console', "$ cat > a <<'END'", '$ no command', 'END', 'output', '$ ls', 'a')
    expect(readPage(page).steps).toMatchObject([{ commands: ["cat > a <<'END'\n$ no command\nEND", 'ls'] }])
  })

  test('may not show commands that are neither run nor marked', () => {
    expect(() => readPage(fenced('sh', 'npm ci'))).toThrow(/line 1: a block 'sh' is not recorded/)
    const marked = readPage(`<!-- guides: not run: needs the network -->\n${fenced('sh', 'npm ci')}`)
    expect(marked).toEqual({ steps: [], notRun: [{ line: 2, because: 'needs the network' }] })
  })
})

describe('a recording', () => {
  test.each([
    ['Child: 1rpgjw, 09:15', 'Child: 7abcde, 22:30'],
    ['took 4 s, 172 kB', 'took 12 s, 9.1 MB'],
    ['  tools   1.6k  slash', '  tools  980  slash'],
    ['a\n…\nd', 'a\nb\nc\nd'],
    ['…\nd\n…', 'a\nb\nc\nd\ne'],
  ])('is the same as what is shown: %j and %j', (shown, recorded) => {
    expect(isSame(shown, recorded, 'lines')).toBe(true)
  })

  test.each([
    ['28 tools', '19 tools'],
    ['a\n…\nd', 'a\nb\nc'],
    ['a', 'a\nb'],
    ['a\n…', 'b\na'],
    ['2026-11-15', '2026-11-16'],
  ])('differs from what is shown: %j and %j', (shown, recorded) => {
    expect(isSame(shown, recorded, 'lines')).toBe(false)
  })

  test('of a chat may break its lines elsewhere', () => {
    expect(isSame('one two\nthree', 'one\ntwo three', 'words')).toBe(true)
  })

  test('leaves out again what the guide left out', () => {
    const shown = ['$ mainstem', 'The first of them', '…', 'The last of them', '$ next', 'out'].join('\n')
    const recorded = [
      '$ mainstem',
      'The first of these',
      'b',
      'c',
      'The last of these',
      '$ next',
      'new',
    ].join('\n')
    expect(elided(shown, recorded)).toBe(
      ['$ mainstem', 'The first of these', '…', 'The last of these', '$ next', 'new'].join('\n'),
    )
  })
})

test('[LEAVE1] on an honest day nobody is asked about an address: only the page that wants a diary is', () => {
  const pages = ['README.md', ...globSync('docs/guides/*.md')].map((page) => readFileSync(page, 'utf8'))
  const asked = pages.flatMap(
    (text) => text.match(/Nobody gave this part: .*|nobody gave this address.*/g) ?? [],
  )
  expect(asked).toEqual([expect.stringContaining('doctor')])
})
