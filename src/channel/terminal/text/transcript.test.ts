import { expect, test } from 'vitest'
import { styleFor } from '../../../base/style.ts'
import type { Entry } from '../port.ts'
import { entryLines, following } from './transcript.ts'
import { type Before, drawnSigns, spokenSigns } from './look.ts'

const look = {
  style: styleFor('plain'),
  colour: 'plain',
  columns: 40,
  timeZone: 'UTC',
  signs: drawnSigns,
} as const
const noon = Date.UTC(2026, 2, 3, 12)
const start: Before = { entry: null, at: noon, branch: 'main' }

function shown(entries: readonly Entry[], from: Before = start): string[] {
  let before = from
  return entries.flatMap((entry) => {
    const lines = entryLines(entry, before, look)
    before = following(before, entry)
    return lines
  })
}

const said = (text: string, at = noon): Entry => ({ kind: 'said', text, at })
const tool = (name: string, isError = false): Entry => ({ kind: 'tool', name, summary: 'x → y', isError })

test('each kind is told apart without colours, and calls stand together', () =>
  expect(
    shown([
      said('Hello there'),
      tool('read'),
      tool('fetch', true),
      { kind: 'answer', text: 'Hello **you**', at: noon, branch: 'main' },
      { kind: 'output', text: 'a  b\n c', isError: false },
      { kind: 'output', text: 'There is no mark A.', isError: true },
      { kind: 'notice', text: 'k3f9x2 finished.' },
    ]),
  ).toEqual([
    '› Hello there',
    '',
    '✓ read x → y',
    '✗ fetch x → y',
    '',
    'Hello **you**',
    '',
    'a  b',
    ' c',
    '',
    '✗ There is no mark A.',
    '',
    '– k3f9x2 finished.',
  ]))

test('what continues stands under its text', () =>
  expect(shown([said('one two three four five six seven eight nine')])).toEqual([
    '› one two three four five six seven',
    '  eight nine',
  ]))

test('what a command says breaks between words, and an indented line goes on indented', () =>
  expect(
    shown([
      { kind: 'output', text: 'There is no approval 12. /approvals lists what waits.', isError: true },
      {
        kind: 'output',
        text: 'Waits for you:\n    2  remember: My dentist is Dr. Ono.  (main)\n',
        isError: false,
      },
    ]),
  ).toEqual([
    '✗ There is no approval 12. /approvals',
    '  lists what waits.',
    '',
    'Waits for you:',
    '    2  remember: My dentist is Dr. Ono.',
    '       (main)',
  ]))

test('a very long text that was said is folded, and says how much', () => {
  const lines = shown([said(Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n'))])
  expect(lines).toHaveLength(40)
  expect(lines.at(-1)).toBe('  … 61 more lines')
})

test('after an hour of silence the time is told, and at the beginning', () => {
  const lines = shown([said('a'), said('b', noon + 3_600_000)])
  expect(lines).toEqual(['› a', '', '── Tue 3 Mar, 13:00 ──', '', '› b'])
  expect(shown([said('a')], { ...start, at: null })).toEqual(['', '── Tue 3 Mar, 12:00 ──', '', '› a'])
})

test('an answer of another branch says whose it is', () =>
  expect(shown([{ kind: 'answer', text: 'Done.', at: noon, branch: 'k3f9x2' }])).toEqual([
    'From k3f9x2:',
    'Done.',
  ]))

test('a call stays one line', () =>
  expect(shown([{ kind: 'tool', name: 'web', summary: `a\nb ${'c'.repeat(80)}`, isError: false }])).toEqual([
    `✓ web a b ${'c'.repeat(29)}…`,
  ]))

test('an answer of another branch says what that is, where more is known than its name', () =>
  expect(shown([{ kind: 'answer', text: 'Done.', at: noon, branch: 'k3f9x2', from: 'fork k3f9x2' }])).toEqual(
    ['From fork k3f9x2:', 'Done.'],
  ))

const QUESTION = `May AGENTS.md be changed? (approval 3)
- Answer in English.
+ Answer in the language of the question.
…
+ Ask first.
/approve 3 writes it, /deny 3 does not.`

test('a question has its difference with its signs, and what goes on stands under its text', () =>
  expect(shown([said('a'), { kind: 'question', text: QUESTION }])).toEqual([
    '› a',
    '',
    '? May AGENTS.md be changed? (approval 3)',
    '  - Answer in English.',
    '  + Answer in the language of the',
    '    question.',
    '  …',
    '  + Ask first.',
    '  /approve 3 writes it, /deny 3 does',
    '  not.',
  ]))

test('what is indented stays so, and goes on under itself', () =>
  expect(
    shown([
      {
        kind: 'question',
        text: 'May write run? (approval 3)\n  notes/porto.md\n  + The night train goes on Friday at nine.\n  … 12 more lines: /approvals 3 shows all',
      },
    ]),
  ).toEqual([
    '? May write run? (approval 3)',
    '    notes/porto.md',
    '    + The night train goes on Friday at',
    '      nine.',
    '    … 12 more lines: /approvals 3 shows',
    '    all',
  ]))

test('what came is green and what went is red, beside signs that say the same', () => {
  const text = entryLines({ kind: 'question', text: QUESTION }, start, {
    ...look,
    style: styleFor('colour'),
    colour: 'colour',
  }).join('\n')
  expect(text).toContain('\u001B[31m- \u001B[39m\u001B[31mAnswer in English.')
  expect(text).toContain('\u001B[32m+ \u001B[39m\u001B[32mAsk first.')
})

test('for those who listen the signs are words', () =>
  expect(entryLines(tool('fetch', true), start, { ...look, signs: spokenSigns })).toEqual([
    'Failed: fetch x → y',
  ]))

test('for those who listen a difference is words too', () =>
  expect(
    entryLines({ kind: 'question', text: 'May it?\n- a\n+ b\n/approve 3' }, start, {
      ...look,
      signs: spokenSigns,
    }),
  ).toEqual(['Question: May it?', '          Removed: a', '          Added: b', '          /approve 3']))

test.each<Entry>([
  said('\u001B]52;c;eA==\u0007'),
  { kind: 'answer', text: '\u001B[2J', at: noon, branch: '\u001B[2J' },
  { kind: 'output', text: '\u001B[2J\u0007', isError: true },
  { kind: 'notice', text: '\u001B]0;x\u0007' },
  { kind: 'question', text: '\u001B[2J\n+ \u001B[2J\n- \u0007\n\u009B2J' },
  { kind: 'tool', name: '\u001B[2J', summary: '\u009B2J', isError: false },
  {
    kind: 'ping',
    text: '\u001B[2J',
    at: noon,
    branch: 'x',
    from: '\u001B[2J',
    number: 1,
    choices: [{ label: '\u001B[2J', command: '\u009B2J' }],
  },
  {
    kind: 'ping',
    text: '',
    at: noon,
    branch: 'x',
    from: 'x',
    choices: [],
    embed: {
      title: '\u001B[2J',
      description: '\u009B2J',
      color: '\u001B[2J',
      fields: [{ name: '\u001B[2J', value: '\u0007' }],
    },
  },
])('no entry reaches the terminal with a control character: $kind', (entry) =>
  expect(shown([entry]).join('')).not.toMatch(/\p{Cc}/u),
)

test('a point of a list goes on under its text', () =>
  expect(
    shown([
      {
        kind: 'output',
        text: "2 updates wait for main's next turn:\n- (1 min ago, mcp) The build is green again.\n  - so is the other one, they all say",
        isError: false,
      },
    ]),
  ).toEqual([
    "2 updates wait for main's next turn:",
    '- (1 min ago, mcp) The build is green',
    '  again.',
    '  - so is the other one, they all say',
  ]))

test('a row of a tree goes on under its text, and the tree beside it', () =>
  expect(
    shown([
      {
        kind: 'output',
        text: [
          'main: idle, 1 unread, 1 min old, 45 tokens',
          '├─ k3f9ab child: working for 1 min, 1 min old',
          '│  └─ abcdef child: idle, 1 min old, 15 tokens',
          '└─ * 5jyt2v fork: idle, 1 unread, 1 min old',
          '2 ended; /agents all shows them, every one.',
        ].join('\n'),
        isError: false,
      },
    ]),
  ).toEqual([
    'main: idle, 1 unread, 1 min old, 45',
    '│  tokens',
    '├─ k3f9ab child: working for 1 min, 1',
    '│  │  min old',
    '│  └─ abcdef child: idle, 1 min old,',
    '│        15 tokens',
    '└─ * 5jyt2v fork: idle, 1 unread, 1',
    '      min old',
    '2 ended; /agents all shows them, every',
    'one.',
  ]))

test('whose an answer was is said by where the person was when it came, not by where they are', () => {
  const answer = { kind: 'answer', text: 'Done.', at: noon } as const
  expect(
    shown(
      [
        { ...answer, branch: 'main', shown: 'main' },
        { ...answer, branch: 'k3f9x2', shown: 'main' },
      ],
      { ...start, branch: 'k3f9x2' },
    ),
  ).toEqual(['Done.', '', 'From k3f9x2:', 'Done.'])
})
