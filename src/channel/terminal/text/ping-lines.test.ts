import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { styleFor } from '../../../base/style.ts'
import { widthOf } from '../../../base/width.ts'
import type { Entry } from '../port.ts'
import { entryLines, following } from './transcript.ts'
import { type Before, type TranscriptLook, drawnSigns, spokenSigns } from './look.ts'

const noon = Date.UTC(2026, 2, 3, 12)
const start: Before = { entry: null, at: noon, branch: 'main' }
const plain: TranscriptLook = {
  style: styleFor('plain'),
  colour: 'plain',
  columns: 50,
  timeZone: 'UTC',
  signs: drawnSigns,
}

function shown(entries: readonly Entry[], look = plain, from = start): string[] {
  let before = from
  return entries.flatMap((entry) => {
    const lines = entryLines(entry, before, look)
    before = following(before, entry)
    return lines
  })
}

type Ping = Extract<Entry, { kind: 'ping' }>

const ping = (more: Partial<Ping> = {}): Ping => ({
  kind: 'ping',
  text: 'The build is red.',
  at: noon,
  branch: 'k3f9x2',
  from: 'routine brief',
  number: 3,
  choices: [],
  ...more,
})

test('what nobody asked for says its number, who it is from and, the first time, how it is answered', () =>
  expect(shown([ping(), ping({ number: 4 })])).toEqual([
    '● #3 from routine brief',
    '  The build is red.',
    '  /reply 3 TEXT answers it.',
    '',
    '● #4 from routine brief',
    '  The build is red.',
  ]))

test('what is critical says so', () =>
  expect(shown([ping({ isCritical: true })])[0]).toBe('● #3 from routine brief, critical'))

test('an answer that nobody asked for says what fell due', () =>
  expect(
    shown([{ kind: 'answer', text: 'Feed it!', at: noon, branch: 'main', job: 'reminder dog' }]),
  ).toEqual(['– reminder dog', 'Feed it!']))

test('that a run failed can be answered as well', () =>
  expect(
    shown([
      { kind: 'notice', text: 'routine brief failed: no network', number: 3 },
      { kind: 'notice', text: 'k3f9x2 finished.' },
      { kind: 'notice', text: 'routine brief failed: no network', number: 4 },
    ]),
  ).toEqual([
    '– #3 routine brief failed: no network',
    '  /reply 3 TEXT answers it.',
    '– k3f9x2 finished.',
    '– #4 routine brief failed: no network',
  ]))

test('several notices stand below their number, each beside its own point', () => {
  const files = '- routines/a.md, line 2: cron is 61 minutes, which is too many.\n- The pause is over.'
  const look = { ...plain, columns: 40 }
  expect(shown([{ kind: 'notice', text: files, number: 5 }], look).slice(0, 4)).toEqual([
    '– #5',
    '  - routines/a.md, line 2: cron is 61',
    '    minutes, which is too many.',
    '  - The pause is over.',
  ])
  expect(shown([{ kind: 'notice', text: '2 files cannot be used:\n- a\n- b', number: 5 }])).toEqual([
    '– #5 2 files cannot be used:',
    '  - a',
    '  - b',
    '  /reply 5 TEXT answers it.',
  ])
  expect(shown([{ kind: 'notice', text: '- a\n- b' }])).toEqual(['– - a', '  - b'])
})

const embed = {
  title: 'Build',
  description: 'It has been **red** for an hour.',
  color: '#ef4444',
  fields: [
    { name: 'Branch', value: 'main' },
    { name: 'By', value: 'a change of the parser that nobody has looked at yet' },
  ],
}
const choices = [
  { label: 'Retry', command: 'Retry' },
  { label: 'Later', command: 'Remind me tomorrow' },
]

test('without colours too a card has a bar and no marks of Markdown, its fields below each other, and its answers with what to type', () =>
  expect(shown([ping({ embed, choices })])).toEqual([
    '● #3 from routine brief',
    '  ▌ Build',
    '  ▌ It has been red for an hour.',
    '  ▌ Branch  main',
    '  ▌ By      a change of the parser that nobody has',
    '  ▌         looked at yet',
    '  Answers:',
    '  Retry  /reply 3 Retry',
    '  Later  /reply 3 Remind me tomorrow',
  ]))

/** What the host adds to every ping. */
const everyPing = [
  { label: 'Done', command: '/done 3' },
  { label: 'Snooze 10 min', command: '/snooze 3 10m' },
  { label: 'Snooze 1 h', command: '/snooze 3 1h' },
  { label: 'Snooze until tomorrow', command: '/snooze 3 tomorrow' },
  { label: 'Less of this', command: '/less 3' },
]

test('what can be said to any ping stands below it in one line, each time', () => {
  const pings = [ping({ choices: everyPing }), ping({ choices: everyPing })]
  expect(shown(pings, { ...plain, columns: 80 })).toEqual([
    '● #3 from routine brief',
    '  The build is red.',
    '  /done 3 · /snooze 3 1h · /less 3 · /reply 3 …',
    '',
    '● #3 from routine brief',
    '  The build is red.',
    '  /done 3 · /snooze 3 1h · /less 3 · /reply 3 …',
  ])
})

test('that line is dim, and stands behind the answers that the ping itself offers', () => {
  const look = { ...plain, columns: 80, style: styleFor('colour'), colour: 'colour' } as const
  const lines = shown([ping({ embed: { title: 'Build' }, choices: [...choices, ...everyPing] })], look)
  expect(lines.map((line) => stripVTControlCharacters(line)).slice(2)).toEqual([
    '  Answers:',
    '  Retry  /reply 3 Retry',
    '  Later  /reply 3 Remind me tomorrow',
    '  /done 3 · /snooze 3 1h · /less 3 · /reply 3 …',
  ])
  expect(lines.at(-1)).toContain('\u001B[2m/done 3')
})

test('that line has only what the ping can be answered with', () =>
  expect(shown([ping({ choices: everyPing.slice(0, 4) })]).at(-1)).toBe(
    '  /done 3 · /snooze 3 1h · /reply 3 …',
  ))

test('a choice that names another message is no word to this one', () =>
  expect(shown([ping({ choices: [{ label: 'Done', command: '/done 4' }] })])).toContain(
    '  Done  /reply 3 /done 4',
  ))

test('what was asked for is answered by a word, and has a head only where it is of another branch', () => {
  const { number: _, ...asked } = ping({ embed: { title: 'Build' }, choices })
  expect(shown([{ ...asked, branch: 'main' }])).toEqual([
    '● ▌ Build',
    '  Answers:',
    '  Retry  Retry',
    '  Later  Remind me tomorrow',
  ])
  expect(shown([{ ...asked, from: 'fork k3f9x2', choices: [] }])).toEqual([
    '● From fork k3f9x2:',
    '  ▌ Build',
  ])
})

test('where there is little room what belongs to a name stands below it', () =>
  expect(
    shown([ping({ embed: { title: 'Build', fields: [{ name: 'Since when', value: '10:40' }] } })], {
      ...plain,
      columns: 24,
    }).slice(1, 4),
  ).toEqual(['  ▌ Build', '  ▌ Since when', '  ▌   10:40']))

test.each([1, 2, 5, 12, 40, 80])('no line of a card is wider than %i columns', (columns) => {
  const look = { ...plain, columns, style: styleFor('colour'), colour: 'colour' } as const
  const wide = {
    ...embed,
    title: '电'.repeat(30),
    fields: [{ name: '名'.repeat(9), value: '值'.repeat(50) }],
  }
  for (const line of shown([ping({ embed: wide, choices })], look))
    expect(widthOf(stripVTControlCharacters(line))).toBeLessThanOrEqual(Math.max(columns, NARROWEST))
})
/** A sign, a bar, and one column for what stands beside them. */
const NARROWEST = 7

test('with colours a card has a bar of its colour, and without one a dim bar', () => {
  const look = { ...plain, style: styleFor('colour'), colour: 'colour' } as const
  const bars = (color: string): string[] =>
    shown([ping({ embed: { ...embed, color } })], look).filter((line) => line.includes('▌'))
  expect(bars('#ef4444')).toHaveLength(5)
  expect(bars('#ef4444')[0]).toContain('\u001B[38;5;203m▌ \u001B[39m\u001B[1mBuild')
  expect(bars('#000000')[0]).toContain('\u001B[38;5;16m▌')
  const { color: _, ...uncoloured } = embed
  expect(shown([ping({ embed: uncoloured })], look)[1]).toContain('\u001B[2m▌ ')
})

test('for those who listen it is called a message', () =>
  expect(shown([ping()], { ...plain, signs: spokenSigns })[0]).toBe('Message: #3 from routine brief'))

test('for those who listen a card has no bar', () =>
  expect(shown([ping({ embed })], { ...plain, signs: spokenSigns }).join('\n')).not.toContain('▌'))
