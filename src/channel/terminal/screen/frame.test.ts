import fc from 'fast-check'
import { expect, test } from 'vitest'
import { styleFor } from '../../../base/style.ts'
import { widthOf } from '../../../base/width.ts'
import { placeOf, rowsOf } from '../input/editor-rows.ts'
import { editorWith } from '../input/editor.ts'
import { type FrameState, frameOf, scrolled, spokenFrameOf, textColumns, textRowsMax } from './frame.ts'
import type { Status } from '../port.ts'
import { emptyPrompt, promptWith } from '../input/prompt.ts'

const status: Status = {
  branch: 'main',
  mode: 'main',
  model: 'anthropic/claude-opus-4-5',
  tokens: 3_200,
  tokensMax: 32_000,
  unreadMail: 0,
  approvals: 0,
  updates: 0,
  openFork: null,
  permissions: 'dontAsk',
  costToday: null,
  running: 0,
}
const look = { style: styleFor('plain'), colour: 'plain', columns: 60 } as const

function state(more: Partial<FrameState> & { columns?: number; answerLines?: number } = {}): FrameState {
  const all = Array.from({ length: more.answerLines ?? 0 }, (_, index) => ({
    text: `line ${index}`,
    width: 7,
  }))
  return {
    rows: 24,
    live: { status, turn: null, calls: [], commands: [] },
    prompt: emptyPrompt,
    picker: null,
    scroll: 0,
    hint: null,
    queued: [],
    opened: null,
    isStopping: false,
    now: 0,
    answer: (count) => ({ lines: all.slice(-count), above: Math.max(0, all.length - count) }),
    ...more,
    look: { ...look, columns: more.columns ?? 60 },
  }
}

const working = {
  status,
  turn: { startedAt: -65_000 },
  calls: [{ name: 'web', summary: 'https://a.example' }],
  commands: [],
}
const lines = (more: Parameters<typeof state>[0] = {}): readonly string[] => frameOf(state(more)).lines

test('at rest it is a box with the branch, the model and the context', () =>
  expect(lines()).toEqual(['', '╭─ main · anthropic/claude-opus-4-5', '│ ', '╰─ ▓░░░░░░░░░ 3.2k/32k']))

test('a turn shows what is written and called, how long it takes and how to stop it', () =>
  expect(lines({ live: working, answerLines: 2, columns: 70 })).toEqual([
    '',
    'line 0',
    'line 1',
    '',
    '⠋ web https://a.example',
    '',
    '╭─ main · claude-opus-4-5 · ⠋ working 1 min 5 s · Esc to stop',
    '│ ',
    '╰─ ▓░░░░░░░░░ 3.2k/32k',
  ]))

test('where the head is too short the name of the model gives way first', () => {
  expect(lines({ columns: 30 })[1]).toBe('╭─ main · claude-opus-4-5')
  expect(lines({ columns: 40, live: working }).at(-3)).toBe('╭─ main · ⠋ working 1 min 5 s · Esc to…')
})

test('an answer that is too long shows its end, and says how much is above', () => {
  const shown = lines({ answerLines: 100, rows: 12 })
  expect(shown).toHaveLength(10)
  expect(shown.slice(0, 4)).toEqual(['', '⋮ 96 lines above', 'line 96', 'line 97'])
})

test('the cursor is where the next sign will be', () => {
  const prompt = { editor: { ...editorWith('电车 ab'), cursor: 3 }, menu: null }
  expect(frameOf(state({ prompt })).cursor).toEqual({ x: 2 + 5, y: 2 })
  expect(frameOf(state({ prompt: promptWith('one\ntwo') })).cursor).toEqual({ x: 5, y: 3 })
})

test('a long text scrolls inside its box, and says where it is', () => {
  const prompt = promptWith(Array.from({ length: 20 }, (_, index) => `row ${index}`).join('\n'))
  const shown = lines({ prompt, scroll: 12, rows: 30 })
  expect(shown[1]).toBe('╭─ main · anthropic/claude-opus-4-5 · row 20 of 20')
  expect(shown.slice(2, -1)).toEqual(Array.from({ length: 8 }, (_, index) => `│ row ${index + 12}`))
})

test('offers stand under the text, the chosen one is marked', () => {
  const offers = [
    { line: '/mark ', label: '/mark NAME', help: 'remembers this place' },
    { line: '/reload', label: '/reload', help: 'reads the files again' },
  ]
  const prompt = { ...promptWith('/'), menu: { offers, chosen: 1 } }
  expect(lines({ prompt }).slice(2, -1)).toEqual([
    '│ /',
    '│   /mark NAME  remembers this place',
    '│ ▸ /reload     reads the files again',
  ])
})

const picker = {
  title: 'May it run? (approval 3)',
  about: 'a.example',
  labels: ['Once', 'Deny'],
  picked: null,
  leftMs: 9_500,
  more: 0,
  isAside: false,
  keys: 'ready',
} as const

test('what is asked stands between the calls and the box', () =>
  expect(lines({ live: working, picker, columns: 70 })).toEqual([
    '',
    '⠋ web https://a.example',
    '',
    '? May it run? (approval 3) · 10 s left',
    '  a.example',
    '  1 Once   2 Deny',
    '  1 2 then Enter to answer · Esc for later',
    '',
    '╭─ main · claude-opus-4-5 · ⠋ working 1 min 5 s · Esc to stop',
    '│ ',
    '╰─ ▓░░░░░░░░░ 3.2k/32k',
  ]))

test('where there is little room, what is asked goes before what is written and called', () =>
  expect(lines({ live: working, picker, answerLines: 20, rows: 10 })).toEqual([
    '',
    '? May it run? (approval 3) · 10 s left',
    '  a.example',
    '  1 Once   2 Deny',
    '',
    '╭─ main · ⠋ working 1 min 5 s · Esc to stop',
    '│ ',
    '╰─ ▓░░░░░░░░░ 3.2k/32k',
  ]))

test('for those who listen what is asked stands before the text', () =>
  expect(spokenFrameOf(state({ picker })).lines).toEqual([
    'main, anthropic/claude-opus-4-5, context 3.2k of 32k tokens',
    'Question: May it run? (approval 3)',
    'About: a.example',
    '1: Once',
    '2: Deny',
    '1 2 then Enter to answer',
    'Esc for later',
    '> ',
  ]))

const reloading = { id: 1, text: '/reload', at: 0 }

test('a command that takes long is shown, and one that may be done in a moment is not', () => {
  const at = (now: number, turn: typeof working.turn | null = null): readonly string[] =>
    lines({ live: { status, turn, calls: [], commands: [reloading] }, now }).filter((line) =>
      line.includes('/reload'),
    )
  expect(at(299)).toEqual([])
  expect(at(300)).toEqual(['⠹ /reload …'])
  expect(at(9_000, working.turn), 'it waits for the turn').toEqual([])
})

test('for those who listen a command that takes long is a sentence', () =>
  expect(
    spokenFrameOf(state({ live: { status, turn: null, calls: [], commands: [reloading] }, now: 300 })).lines,
  ).toContain('Running /reload.'))

test('a hint takes the place of the status', () =>
  expect(lines({ hint: 'Press Ctrl-C again to exit.' }).at(-1)).toBe('╰─ Press Ctrl-C again to exit.'))

test('calls beyond the fourth are counted', () => {
  const calls = Array.from({ length: 7 }, (_, index) => ({ name: 'web', summary: String(index) }))
  expect(lines({ live: { ...working, calls } }).filter((line) => /web|more/.test(line))).toEqual([
    '⠋ web 0',
    '⠋ web 1',
    '⠋ web 2',
    '… and 4 more',
  ])
})

test('for those who listen it is sentences, the text last', () =>
  expect(spokenFrameOf(state({ live: working, prompt: promptWith('hi') }))).toEqual({
    lines: [
      'main, anthropic/claude-opus-4-5, context 3.2k of 32k tokens',
      'Working. Press Esc to stop.',
      '> hi',
    ],
    cursor: undefined,
  }))

test.each([
  ['stays while the cursor is in sight', { scroll: 0, row: 3, total: 20 }, 0],
  ['follows the cursor down', { scroll: 0, row: 8, total: 20 }, 1],
  ['follows the cursor up', { scroll: 5, row: 2, total: 20 }, 2],
  ['leaves no empty rows when text goes away', { scroll: 12, row: 15, total: 16 }, 8],
  ['begins where all fits', { scroll: 9, row: 0, total: 1 }, 0],
])('the box %s', (_, { scroll, row, total }, expected) =>
  expect(scrolled(scroll, row, { total, shown: 8 })).toBe(expected),
)

test('on any screen the frame fits, and the cursor is in it', () =>
  fc.assert(
    fc.property(
      fc.record({
        columns: fc.integer({ min: 4, max: 200 }),
        rows: fc.integer({ min: 3, max: 60 }),
        answerLines: fc.nat(80),
        text: fc.string({ unit: 'grapheme', maxLength: 200 }),
        calls: fc.nat(6),
        isWorking: fc.boolean(),
        isAsked: fc.boolean(),
      }),
      ({ columns, rows, answerLines, text, calls, isWorking, isAsked }) => {
        const live = {
          status,
          turn: isWorking ? { startedAt: 0 } : null,
          calls: Array.from({ length: calls }, () => ({ name: 'web', summary: text })),
          commands: [{ id: 1, text, at: -1_000 }],
        }
        const prompt = promptWith(text.replaceAll(/\p{C}/gu, ''))
        const all = rowsOf(prompt.editor.text, textColumns(columns))
        const { row } = placeOf(prompt.editor.text, all, prompt.editor.cursor)
        const scroll = scrolled(0, row, { total: all.length, shown: textRowsMax(rows) })
        const frame = frameOf(
          state({ columns, rows, answerLines, live, prompt, scroll, picker: isAsked ? picker : null }),
        )
        expect(frame.lines[frame.cursor?.y ?? -1]).toMatch(/^│/)
        expect(frame.cursor?.x).toBeLessThan(Math.max(5, columns))
        expect(frame.lines.length).toBeLessThanOrEqual(rows - 2)
        for (const line of frame.lines)
          if (!line.startsWith('line')) expect(widthOf(line)).toBeLessThanOrEqual(columns)
        expect(frame.lines.join('')).not.toMatch(/\p{Cc}/u)
      },
    ),
  ))
