import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { placeOf, rowText, rowsOf } from './editor-rows.ts'
import { type Editor, edited, editorWith, emptyEditor, withContinuedLine } from './editor.ts'
import type { Command, Key } from './keys.ts'
import { widthOf } from '../../../base/width.ts'
import { rounds } from '../../../../test/rounds.ts'

/** `|` is the cursor. */
function at(marked: string): Editor {
  return { ...editorWith(marked.replace('|', '')), cursor: marked.indexOf('|') }
}

function marked({ text, cursor }: Editor): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`
}

function after(
  editor: Editor,
  commands: readonly Command[],
  { columns = 40, sent = [] as readonly string[] } = {},
): Editor {
  return commands.reduce((before, kind) => edited(before, { kind }, { columns, sent }), editor)
}

describe('moving and deleting', () => {
  test.each<[string, Command, string]>([
    ['a|b', 'left', '|ab'],
    ['|ab', 'left', '|ab'],
    ['ab|', 'right', 'ab|'],
    ['x👩‍👩‍👧‍👦|', 'left', 'x|👩‍👩‍👧‍👦'],
    ['|🇩🇪🇫🇷', 'right', '🇩🇪|🇫🇷'],
    ['one\ntw|o', 'home', 'one\n|two'],
    ['\n|', 'home', '\n|'],
    ['|\na', 'home', '|\na'],
    ['o|ne\ntwo', 'end', 'one|\ntwo'],
    ['one two|', 'word-left', 'one |two'],
    ['one two |', 'word-left', 'one |two '],
    ['|one, two', 'word-right', 'one|, two'],
    ['one|, two', 'word-right', 'one, two|'],
    ['e\u0301|', 'delete-left', '|'],
    ['👩‍👩‍👧‍👦|x', 'delete-left', '|x'],
    ['|é', 'delete-right', '|'],
    ['one two|', 'delete-word-left', 'one |'],
    ['one| two three', 'delete-word-right', 'one| three'],
    ['a\nbc|d', 'delete-to-start', 'a\n|d'],
    ['a|bc\nd', 'delete-to-end', 'a|\nd'],
    ['a|\nd', 'delete-to-end', 'a|d'],
  ])('%j, %s', (before, command, expected) => expect(marked(after(at(before), [command]))).toBe(expected))
})

test.each<[string, Command]>([
  [`${'🚋'.repeat(200)} |`, 'word-left'],
  [`| ${'🚋'.repeat(200)}`, 'word-right'],
])('no step ends inside a character', (before, command) => {
  const { text, cursor } = after(at(before), [command])
  expect(text.slice(0, cursor).isWellFormed()).toBe(true)
})

describe('writing', () => {
  test('text goes in where the cursor is', () =>
    expect(marked(edited(at('a|c'), { kind: 'text', text: 'b' }, { columns: 40, sent: [] }))).toBe('ab|c'))

  test('a paste of several lines is one text', () =>
    expect(
      edited(emptyEditor, { kind: 'paste', text: 'a\r\nb\rc\u001B[31m' }, { columns: 40, sent: [] }).text,
    ).toBe('a\nb\nc'))

  test('Enter after a backslash makes a line of it', () => {
    expect(withContinuedLine(editorWith('a\\'))).toMatchObject({ text: 'a\n', cursor: 2 })
    expect(withContinuedLine(at('a|\\'))).toBeUndefined()
    expect(withContinuedLine(editorWith('a'))).toBeUndefined()
  })
})

describe('up and down', () => {
  test('go by rows as they are drawn', () =>
    expect(marked(after(at('one two th|ree'), ['up'], { columns: 8 }))).toBe('on|e two three'))

  test('come back to the column they came from', () =>
    expect(marked(after(at('long line\nx\nlong li|ne'), ['up', 'up']))).toBe('long li|ne\nx\nlong line'))

  test('beyond the first row lies what was sent before, and the way back brings what was being written', () => {
    const sent = ['first', 'second']
    const up = after(emptyEditor, ['up'], { sent })
    expect(up.text).toBe('second')
    expect(after(up, ['up', 'up', 'up'], { sent }).text).toBe('first')
    expect(after(up, ['up', 'down', 'down', 'down'], { sent })).toEqual(emptyEditor)
  })

  test('with text typed, the arrows go only through sent texts that begin with it', () => {
    const sent = ['git log', 'hello', 'git push', 'git push', 'bye']
    const up = after(editorWith('git'), ['up'], { sent })
    expect(up.text).toBe('git push')
    expect(after(up, ['up'], { sent }).text).toBe('git log')
    expect(after(up, ['up', 'up', 'up'], { sent }).text).toBe('git log')
    expect(after(up, ['up', 'down'], { sent }).text).toBe('git push')
    expect(after(up, ['up', 'down', 'down', 'down'], { sent })).toEqual(editorWith('git'))
    expect(after(editorWith('x'), ['up', 'down'], { sent })).toEqual(editorWith('x'))
  })

  test('inside a text of several lines they move first', () =>
    expect(after(at('a\nb|'), ['up'], { sent: ['old'] }).text).toBe('a\nb'))
})

const texts = (text: string, columns: number): string[] =>
  rowsOf(text, columns).map((row) => rowText(text, row))

describe('rows', () => {
  test.each([
    ['one two three', 8, ['one two ', 'three']],
    ['abcdefgh', 3, ['abc', 'def', 'gh']],
    ['电车很快', 5, ['电车', '很快']],
    ['a\n\nb', 5, ['a', '', 'b']],
    ['', 5, ['']],
    ['\tx', 10, ['    x']],
  ])('%j in %i columns', (text, columns, rows) => expect(texts(text, columns)).toEqual(rows))

  test('between two rows of a line the cursor is at the start of the second', () => {
    const text = 'one two three'
    expect(placeOf(text, rowsOf(text, 8), 8)).toEqual({ row: 1, column: 0 })
  })
})

const command = fc.constantFrom<Command>(
  'newline',
  'left',
  'right',
  'up',
  'down',
  'home',
  'end',
  'word-left',
  'word-right',
  'delete-left',
  'delete-right',
  'delete-word-left',
  'delete-word-right',
  'delete-to-start',
  'delete-to-end',
  'tab',
  'enter',
  'escape',
)
const key: fc.Arbitrary<Key> = fc.oneof(
  command.map((kind) => ({ kind })),
  fc.record({
    kind: fc.constantFrom('text' as const, 'paste' as const),
    text: fc.string({ unit: 'binary', maxLength: 12 }),
  }),
  fc.record({ kind: fc.constant('paste' as const), text: fc.string({ unit: 'grapheme', maxLength: 300 }) }),
)

test('a tab that has no room behind a short word has a row of its own', () =>
  expect(rowsOf('x a\tb', 4).map((row) => rowText('x a\tb', row))).toEqual(['x ', 'a', '    ', 'b']))

test('whatever the keys, the cursor stays in the text and between its characters, and every row fits', () =>
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (keys, columns) => {
      let editor = emptyEditor
      for (const each of keys) {
        editor = edited(editor, each, { columns, sent: ['old', 'older\ntext 电车'] })
        const { text, cursor } = editor
        expect(cursor).toBeGreaterThanOrEqual(0)
        expect(cursor).toBeLessThanOrEqual(text.length)
        expect(text.slice(0, cursor).isWellFormed()).toBe(true)
        const rows = rowsOf(text, columns)
        expect(placeOf(text, rows, cursor).row).toBeLessThan(rows.length)
        for (const row of rows)
          expect(widthOf(rowText(text, row).trimEnd())).toBeLessThanOrEqual(Math.max(4, columns))
        expect(
          rows
            .map(({ start, end }) => text.slice(start, end))
            .join('')
            .replaceAll('\n', ''),
        ).toBe(text.replaceAll('\n', ''))
      }
    }),
    { numRuns: rounds(300) },
  ))
