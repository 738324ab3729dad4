import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addTodo, changeTodo, dueOf, plainTodo, todoItems, withoutDue, withoutTodo } from './todo-file.ts'
import { rounds } from '../../test/rounds.ts'

const FILE = `# Mine

Some words first.

## House
- [ ] Call the plumber
  he only answers before nine
  - [x] find his number
  - [ ] ask for a price
* [X] Sweep

## Work
1. [ ] Send the letter (due 2026-12-01 09:00)
2. [x] Print it

Edited by hand.
`

const shown = (text: string): string[] =>
  todoItems(text).map(
    ({ number, text: words, isDone, depth }) =>
      `${'  '.repeat(depth)}${number} ${isDone ? 'x' : '-'} ${words}`,
  )

describe('to-dos are the lines of lists with a box', () => {
  test('they are counted through the file, whatever marks the list and however deep they stand', () => {
    expect(shown(FILE)).toEqual([
      '1 - Call the plumber',
      '  2 x find his number',
      '  3 - ask for a price',
      '4 x Sweep',
      '5 - Send the letter (due 2026-12-01 09:00)',
      '6 x Print it',
    ])
  })

  test.each([
    ['- [ ] a\r\n- [x] b\r\n', ['1 - a', '2 x b']],
    ['\uFEFF- [ ] a', ['1 - a']],
    ['- [ ] a\r- [ ] b', ['1 - a', '2 - b']],
    ['-\t[ ]\ta  b\t\n\t+ [X] c', ['1 - a b', '  2 x c']],
    ['1) [ ] a\n12. [ ] b', ['1 - a', '2 - b']],
    ['- [ ] a\u2028b', ['1 - a b']],
    ['- a\n-[ ] b\n- [] c\n- [y] d\n- [ ]e\n- [ ]\n- [ ] \u00A0\n[ ] f', []],
    ['```\n- [ ] an example\n```\n- [ ] a', ['1 - a']],
    ['~~~ md\n- [ ] an example\n```\n~~~\n- [ ] a', ['1 - a']],
    ['- [ ] a\n```\nnever closed\n- [ ] b', ['1 - a', '2 - b']],
    ['', []],
  ])('%j has %j', (text, items) => {
    expect(shown(text)).toEqual(items)
  })
})

describe('a new to-do', () => {
  test.each([
    ['', '# To do\n\n- [ ] new\n', 1],
    ['\uFEFF', '\uFEFF# To do\n\n- [ ] new\n', 1],
    ['# List\n', '# List\n\n- [ ] new\n', 1],
    ['# List', '# List\n\n- [ ] new\n', 1],
    ['# List\r\n\r\n', '# List\r\n\r\n- [ ] new\r\n', 1],
    ['- [ ] a', '- [ ] a\n- [ ] new', 2],
    ['* [ ] a\r\n\r\nEnd', '* [ ] a\r\n* [ ] new\r\n\r\nEnd', 2],
    ['9. [ ] a\n', '9. [ ] a\n10. [ ] new\n', 2],
    ['- [ ] a\n  of a\n\n  of a too\n- [x] b\n', '- [ ] a\n  of a\n\n  of a too\n- [ ] new\n- [x] b\n', 2],
    ['- [ ] a\n  - [ ] b\n    - [ ] c\n', '- [ ] a\n  - [ ] b\n    - [ ] c\n- [ ] new\n', 4],
    ['- [ ] a\ngoes on\n\nEnd', '- [ ] a\ngoes on\n- [ ] new\n\nEnd', 2],
    ['- [ ] a\n# End', '- [ ] a\n- [ ] new\n# End', 2],
    [
      '- [ ] a\n  ```\nx\n\n- [ ] y\n  ```\nEnd\n',
      '- [ ] a\n  ```\nx\n\n- [ ] y\n  ```\nEnd\n- [ ] new\n',
      2,
    ],
    ['## Open\n- [ ] a\n## Done\n- [x] b\n', '## Open\n- [ ] a\n- [ ] new\n## Done\n- [x] b\n', 2],
    ['- [x] a\n- [x] b\n', '- [x] a\n- [x] b\n- [ ] new\n', 3],
  ])('stands in %j behind the last that is open', (text, expected, number) => {
    expect(addTodo(text, 'new')).toEqual({ text: expected, number })
  })

  test.each([
    ['- [ ]  milk\n and eggs ', 'milk and eggs'],
    ['[x] milk', 'milk'],
    ['3. [ ] milk', 'milk'],
    ['3. milk', '3. milk'],
    ['* milk', 'milk'],
    ['a\u0000b\u0007', 'ab'],
    ['- [ ] - [ ] milk', 'milk'],
  ])('of %j is %j', (words, plain) => {
    expect(plainTodo(words)).toBe(plain)
  })
})

describe('a change of one to-do', () => {
  test('ticks its box and nothing else', () => {
    expect(changeTodo(FILE, 3, { isDone: true })).toBe(FILE.replace('- [ ] ask', '- [x] ask'))
    expect(changeTodo(FILE, 99, { isDone: true })).toBe(FILE)
  })

  test('gives it other words behind the same box', () => {
    expect(changeTodo(FILE, 5, { text: 'Burn the letter' })).toBe(
      FILE.replace('Send the letter (due 2026-12-01 09:00)', 'Burn the letter'),
    )
    expect(changeTodo('- [x]\t a \t\r\nb', 1, { text: 'c' })).toBe('- [x]\t c \t\r\nb')
    expect(changeTodo('- [ ] $& $1', 1, { text: '$& $`' })).toBe('- [ ] $& $`')
  })

  test('takes it away with what stands below it', () => {
    const { text, gone } = withoutTodo(FILE, 1)
    expect(text).toBe(FILE.replace(/- \[ \] Call[^]*?price\n/, ''))
    expect(gone.map((item) => item.text)).toEqual(['Call the plumber', 'find his number', 'ask for a price'])
    expect(withoutTodo('\uFEFF- [ ] a\n- [ ] b', 1).text).toBe('\uFEFF- [ ] b')
    expect(withoutTodo(FILE, 99)).toEqual({ text: FILE, gone: [] })
  })
})

test('a date at the end is part of the words, and can be told from them', () => {
  expect(dueOf('Pay (due 2026-12-01 09:00)')).toBe('(due 2026-12-01 09:00)')
  expect(dueOf('Pay (due 2026-12-01)')).toBe('(due 2026-12-01)')
  expect(dueOf('Pay (due soon)')).toBeUndefined()
  expect(withoutDue('Pay (due 2026-12-01)')).toBe('Pay')
})

const line = fc.oneof(
  fc.constantFrom(
    '',
    '# To do',
    '- [ ] a',
    '- [x] b',
    '  - [ ] c',
    '\t* [X] d',
    '1. [ ] e',
    '    - [ ] f',
    'words',
    '  words',
    '```',
    '~~~',
    '  ```',
    '- plain',
    '- [ ]',
    '---',
    '> - [ ] g',
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('-', ' ', '[', ']', 'x', '`', '\t', 'a', '1', '.'), maxLength: 12 }),
)
const anyFile = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '\r')), { maxLength: 25 })
  .map((lines) => lines.map(([words, ending]) => words + ending).join(''))
  .chain((text) => fc.constantFrom(text, text.replace(/[\r\n]+$/, ''), `\uFEFF${text}`))
const anyWords = fc
  .oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), line)
  .filter((words) => plainTodo(words) !== '')

/** Lines with what ends them. */
const linesOf = (text: string): string[] => text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []

const bare = (one: string) => one.replace(/^\uFEFF/, '').replace(/[\r\n]+$/, '')

describe('in any text', () => {
  test('words are made plain once and for all', () => {
    fc.assert(
      fc.property(anyWords, (words) => {
        expect(plainTodo(plainTodo(words))).toBe(plainTodo(words))
      }),
    )
  })

  test('a new to-do adds itself, and every line that was there stays as it was', () => {
    fc.assert(
      fc.property(anyFile, anyWords, (file, words) => {
        const before = todoItems(file)
        const { text, number } = addTodo(file, words)
        const after = todoItems(text)
        expect(after[number - 1]).toMatchObject({ text: plainTodo(words), isDone: false })
        expect(after.filter((item) => item.number !== number).map((item) => item.text)).toEqual(
          before.map((item) => item.text),
        )
        // A last line without an end gets one; all else is there in its order.
        const left = linesOf(text).map(bare)
        for (const one of linesOf(file)
          .map(bare)
          .filter((row) => row !== '')) {
          const at = left.indexOf(one)
          expect(at).toBeGreaterThanOrEqual(0)
          left.splice(0, at + 1)
        }
      }),
      { numRuns: rounds(500) },
    )
  })

  test('a tick and other words change one line', () => {
    fc.assert(
      fc.property(anyFile, anyWords, fc.nat(), (file, words, chance) => {
        const items = todoItems(file)
        fc.pre(items.length > 0)
        const number = (chance % items.length) + 1
        for (const text of [
          changeTodo(file, number, { isDone: true }),
          changeTodo(file, number, { text: words }),
        ]) {
          const [before, after] = [linesOf(file), linesOf(text)]
          expect(after.length).toBe(before.length)
          expect(before.filter((row, at) => row !== after[at]).length).toBeLessThanOrEqual(1)
          expect(todoItems(text)).toHaveLength(items.length)
        }
        expect(todoItems(changeTodo(file, number, { isDone: true }))[number - 1]?.isDone).toBe(true)
        expect(todoItems(changeTodo(file, number, { text: words }))[number - 1]?.text).toBe(plainTodo(words))
      }),
      { numRuns: rounds(500) },
    )
  })

  test('a to-do that goes takes only lines below it along', () => {
    fc.assert(
      fc.property(anyFile, fc.nat(), (file, chance) => {
        const items = todoItems(file)
        fc.pre(items.length > 0)
        const number = (chance % items.length) + 1
        const { text, gone } = withoutTodo(file, number)
        expect(gone[0]).toEqual(items[number - 1])
        expect(todoItems(text).length).toBe(items.length - gone.length)
        const [before, after] = [file.replace(/^\uFEFF/, ''), text.replace(/^\uFEFF/, '')]
        let same = 0
        while (same < after.length && before[same] === after[same]) same++
        expect(before.endsWith(after.slice(same))).toBe(true)
      }),
      { numRuns: rounds(500) },
    )
  })

  test('a file of a megabyte is read in a moment, whatever is in it', () => {
    const rows = ['- [ ] a\n', '  ', '- [', '`', '- [ ] a \t', '\n', '    - [ ] b\n', '```\n']
    for (const row of rows) {
      const text = row.repeat(Math.ceil(1_000_000 / row.length))
      addTodo(text, 'new')
      withoutTodo(text, 1)
    }
  })
})
