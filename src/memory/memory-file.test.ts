import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addLine,
  LINE_CHARACTERS_MAX,
  LINES_MAX,
  memoryLines,
  memoryPart,
  otherLines,
  plainLine,
  replaceLine,
} from './memory-file.ts'
import { rounds } from '../../test/rounds.ts'

const FILE = `# Memory

What I want kept.

## People
- Dentist: Dr. Ono
* Sister: Ana
  lives in Porto

## Ways
- No calls before nine

Edited by hand.
`

describe('memory lines are the lines of lists', () => {
  test('headings, prose, rules and what is indented below a line are none', () => {
    expect(memoryLines(FILE)).toEqual(['Dentist: Dr. Ono', 'Sister: Ana', 'No calls before nine'])
    expect(memoryLines('---\n* * *\n- - -\n-no\n*no*\n-\n* \n')).toEqual([])
  })

  test.each([
    ['- a\r\n- b\r\n', ['a', 'b']],
    ['\uFEFF- a', ['a']],
    ['  - a  \n\t* b\t c', ['a', 'b c']],
    ['- a\r- b', ['a', 'b']],
    ['- a\u2028b', ['a b']],
    ['- * a', ['* a']],
  ])('%j has %j', (text, lines) => {
    expect(memoryLines(text)).toEqual(lines)
  })

  test('a line has an end, and so has their number; no character is cut in two', () => {
    const long = `${'x'.repeat(LINE_CHARACTERS_MAX - 1)}😀 more`
    expect(memoryLines(`- ${long}`)).toEqual(['x'.repeat(LINE_CHARACTERS_MAX - 1)])
    expect(memoryLines('- a\n'.repeat(LINES_MAX + 7))).toHaveLength(LINES_MAX)
  })
})

const LONG = 'x'.repeat(LINE_CHARACTERS_MAX + 1)

test('a plain line is one line with single blanks, and one that is too long is none', () => {
  expect(plainLine('  My dentist\t is \r\n Dr.\u00A0 Ono ')).toBe('My dentist is Dr. Ono')
  expect(plainLine(' \n ')).toBe('')
  expect(plainLine(` ${LONG.slice(1)} `)).toBe(LONG.slice(1))
  expect(plainLine(LONG)).toBeUndefined()
})

describe('other lines are those that a prompt has and no memory line is', () => {
  test('without headings, rules, empty lines and what is indented below a memory line', () => {
    expect(otherLines(FILE)).toBe(2)
    expect(otherLines('- a\n  more of a\n\tand more\n\n  alone\n1. one\n> quoted')).toBe(3)
    expect(otherLines('\uFEFF# Memory\r\n\r\n## People\r\n---\r\n* * *\r\n- \r\n- a\r\n')).toBe(0)
    expect(otherLines('')).toBe(0)
    expect(otherLines('#hashtag\n-no bullet')).toBe(2)
  })
})

describe('a line is added', () => {
  test('to nothing as a file with a heading', () => {
    for (const nothing of ['', '\n', '  \r\n'])
      expect(addLine(nothing, 'Dentist: Dr. Ono')).toBe('# Memory\n\n- Dentist: Dr. Ono\n')
  })

  test('behind the last memory line with what belongs to it, and the rest stays behind', () => {
    expect(addLine(FILE, 'Wifi: x')).toBe(FILE.replace('before nine\n', 'before nine\n- Wifi: x\n'))
    expect(addLine('* a\n  more of a\nEnd', 'b')).toBe('* a\n  more of a\n* b\nEnd')
  })

  test('below prose that has no list yet, apart from it', () => {
    expect(addLine('# Memory', 'a')).toBe('# Memory\n\n- a\n')
    expect(addLine('# Memory\n', 'a')).toBe('# Memory\n\n- a\n')
    expect(addLine('# Memory\r\n\r\n', 'a')).toBe('# Memory\r\n\r\n- a\r\n')
  })

  test('with the line ends that the file has, and none where its last line has none', () => {
    expect(addLine('- a\r\n- b', 'c')).toBe('- a\r\n- b\r\n- c')
    expect(addLine('- a\r\n', 'c')).toBe('- a\r\n- c\r\n')
    expect(addLine('- a', 'c')).toBe('- a\n- c')
  })

  test('as one line, whatever it was, and not at all where nothing is said or too much', () => {
    expect(memoryLines(addLine('- a', 'b\n- c\r\n# d'))).toEqual(['a', 'b - c # d'])
    for (const none of [' \n ', LONG]) expect(addLine('- a', none)).toBe('- a')
    expect(addLine('', LONG)).toBe('')
  })

  test('once, however many blanks it has', () => {
    const once = addLine(FILE, 'Wifi:  x')
    expect(memoryLines(once).at(-1)).toBe('Wifi: x')
    for (const again of ['Wifi:  x', 'Wifi: x', ' Wifi:\n\tx ']) expect(addLine(once, again)).toBe(once)
    expect(addLine('* a   b', 'a b')).toBe('* a   b')
  })
})

describe('a line is replaced', () => {
  test('by its exact text, where it stands', () => {
    expect(replaceLine(FILE, 'Sister: Ana', 'Sister: Ana Ono')).toBe(FILE.replace('Ana\n', 'Ana Ono\n'))
    expect(replaceLine('  *   a\r\n- b', 'a', 'c')).toBe('  *   c\r\n- b')
    expect(replaceLine('- a\t  b\n', ' a b ', 'c\n d')).toBe('- c d\n')
  })

  test('of two that say the same, the first', () => {
    expect(replaceLine('- a\n- a\n', 'a', 'b')).toBe('- b\n- a\n')
  })

  test('what is not there changes nothing', () => {
    for (const other of ['Sister', 'sister: Ana', 'lives in Porto', 'Edited by hand.', ''])
      expect(replaceLine(FILE, other, 'x')).toBeUndefined()
    for (const none of [' ', LONG]) expect(replaceLine(FILE, 'Sister: Ana', none)).toBeUndefined()
  })
})

test('the part for the system text is the trimmed file, or nothing where it has no lines', () => {
  expect(memoryPart(`\uFEFF\n${FILE}\n`)).toBe(FILE.trim())
  for (const none of ['', '# Memory\n', '# Memory\n\nNothing yet.\n']) expect(memoryPart(none)).toBe('')
})

const piece = fc.oneof(
  fc.constantFrom(
    '- ',
    '* ',
    '  ',
    '\n',
    '\r\n',
    '\r',
    '# Memory',
    '---',
    '* * *',
    'prose',
    '\uFEFF',
    '\u2028',
  ),
  fc.string({ maxLength: 6, unit: 'binary' }),
)
const file = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))
const line = fc
  .string({ minLength: 1, maxLength: 40 })
  .map((text) => `x${text.replaceAll(/\s+/gu, ' ').trim()}`)

describe('whatever people wrote', () => {
  test('what was added is read back as the last line, and nothing else changed', () => {
    fc.assert(
      fc.property(file, line, (text, added) => {
        fc.pre(!memoryLines(text).includes(added))
        const longer = addLine(text, added)
        expect(memoryLines(longer)).toEqual([...memoryLines(text), added])
        expect(addLine(longer, added)).toBe(longer)
        expect(otherLines(longer)).toBe(otherLines(text))
        if (text.trim() === '') return
        const at = longer.lastIndexOf(added)
        const [before, after] = [longer.slice(0, at), longer.slice(at + added.length)]
        expect(text.startsWith(before.replace(/(?:\r\n|\n|\r){0,2}[-*] $/, ''))).toBe(true)
        expect(text.endsWith(after.replace(/^(?:\r\n|\n|\r)/, ''))).toBe(true)
      }),
      { numRuns: rounds(500) },
    )
  })

  test('a line that is replaced there and back leaves the file as it was', () => {
    fc.assert(
      fc.property(file, line, line, (text, old, fresh) => {
        fc.pre(!memoryLines(text).includes(old) && !memoryLines(text).includes(fresh) && old !== fresh)
        const before = addLine(text, old)
        const changed = replaceLine(before, old, fresh)
        expect(memoryLines(changed ?? '')).toEqual([...memoryLines(text), fresh])
        expect(replaceLine(changed ?? '', fresh, old)).toBe(before)
      }),
      { numRuns: rounds(300) },
    )
  })
})
