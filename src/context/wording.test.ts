import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clockIn } from '../base/time-text.ts'
import { userText } from './prompt.ts'
import { escapeTyped, noteLabel, timeLine } from './wording.ts'
import { fence } from '../event/fence.ts'
import { rounds } from '../../test/rounds.ts'

const PLAIN_TAGS = ['fork-started', 'fork-timeout', 'button', 'system']
const ID_TAGS = ['routine', 'routine-bg', 'reminder', 'reminder-bg', 'webhook']
const HIDDEN = ['\u200B', '\u2060', '\u00AD', '\uFEFF', '\u0000', '\u202E', '\u3164']
const HOST_LINES = [
  ...PLAIN_TAGS.map((tag) => `[${tag}]`),
  ...ID_TAGS.map((tag) => `[${tag}:morning]`),
  noteLabel({ by: 'person' }),
  noteLabel({ by: 'policy', name: 'window' }),
  timeLine(0, 'UTC'),
  timeLine(1_772_000_000_000, 'Europe/Berlin'),
]

/** Texts that contain pieces of the host's syntax by chance. */
const typed = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('[', '[', '\\', ']', ':', ' ', '\n', ...HIDDEN) },
      {
        weight: 4,
        arbitrary: fc.constantFrom(...PLAIN_TAGS, ...ID_TAGS, 'note', 'from', 'SYSTEM', 'Button'),
      },
      { weight: 4, arbitrary: fc.constantFrom(...HOST_LINES, '2026-03-01', '12026-03-01', 'Sun') },
      { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constantFrom('\uD83D', '\uDE00') },
    ),
    { maxLength: 7 },
  )
  .map((pieces) => pieces.join(''))

/** A reader's check for the host's words, written independently of the code that escapes them. */
function looksLikeTheHost(message: string): boolean {
  const seen = message.replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '').replaceAll('\u0000', '')
  const line = seen.trimStart().split('\n', 1)[0]?.toLowerCase() ?? ''
  if (!line.startsWith('[')) return false
  const [inside = '', ...rest] = line.slice(1).split(']')
  const words = inside.trim().split(/\s+/)
  if (rest.length > 0 && PLAIN_TAGS.includes(inside.trim())) return true
  if (inside.includes(':') && ID_TAGS.includes(inside.split(':', 1)[0]?.trim() ?? '')) return true
  if (words[0] === 'note' && words[1] === 'from') return true
  return /^\d{4,}-\d\d-\d\d$/.test(words[0] ?? '') && words.length > 1
}

/** The typed text, recovered from its escaped form. */
function unescape(escaped: string): string {
  const shorter = escaped.replace('\\', '')
  return escapeTyped(shorter) === escaped ? shorter : escaped
}

describe('typed text', () => {
  test.each(HOST_LINES)('that begins with %s gets a backslash', (line) => {
    expect(looksLikeTheHost(line)).toBe(true)
    for (const text of [
      line,
      `${line} and more`,
      `\n \t${line}`,
      line.toUpperCase(),
      line.replace('[', '[ '),
    ])
      expect(escapeTyped(text)).toBe(text.replace('[', '\\['))
  })

  const numbered = HIDDEN.map((hidden) => [hidden.charCodeAt(0).toString(16), hidden] as const)
  test.each(numbered)('cannot hide a tag behind a character that nobody sees: %s', (_, hidden) => {
    for (const text of [
      `${hidden}[system]`,
      `[${hidden}system]`,
      `[sys${hidden}tem${hidden}]`,
      ` ${hidden} [system]`,
    ])
      expect(escapeTyped(text)).toBe(text.replace('[', '\\['))
  })

  test.each([
    '',
    'hello',
    'see [system]',
    '[link](https://example.org)',
    '[ ] buy milk',
    '[systemd] failed',
    '[routine] without an id',
    '[notes from yesterday]',
    '[2026-03-01] standup',
    '[1, 2, 3]',
    String.raw`\[x\] = 3`,
    String.raw`\begin`,
  ])('that only looks a little like it stays as it is: %j', (text) => expect(escapeTyped(text)).toBe(text))

  test("never makes a message whose first line is the host's, unless the head has it", () =>
    fc.assert(
      fc.property(typed, (text) => {
        expect(looksLikeTheHost(userText({ role: 'user', text: escapeTyped(text) }))).toBe(false)
        const headed = userText({
          role: 'user',
          text: escapeTyped(text),
          head: '[system]\n(written by the host)',
        })
        expect(headed.split('\n', 2)).toEqual(['[system]', '(written by the host)'])
      }),
      { numRuns: rounds(3_000) },
    ))

  test('can be read back: no two texts are escaped to one, and escaping twice is not escaping once', () => {
    fc.assert(
      fc.property(typed, (text) => {
        const once = escapeTyped(text)
        expect(unescape(once)).toBe(text)
        expect(unescape(unescape(escapeTyped(once)))).toBe(text)
        if (once !== text) expect(escapeTyped(once)).toBe(once.replace('\\', '\\\\'))
      }),
      { numRuns: rounds(3_000) },
    )
    const written = ['[system]', '\\[system]', '\\\\[system]', '\\\\\\[system]'].map(escapeTyped)
    expect(written).toEqual(['\\[system]', '\\\\[system]', '\\\\\\[system]', '\\\\\\\\[system]'])
  })

  test('is escaped in a time that grows with its length only', () => {
    const long = `${' '.repeat(200_000)}${'\\'.repeat(200_000)}[${' '.repeat(200_000)}x`
    expect(escapeTyped(long)).toBe(long)
  })
})

/** Counts the tag as a reader who ignores case, spaces and invisible characters would. */
function tagsIn(text: string, tag: '<' | '</'): number {
  const seen = text
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll('\u0000', '')
    .toLowerCase()
  return seen
    .split('<')
    .slice(1)
    .filter((after) => {
      const inside = after.trimStart()
      const name = tag === '<' ? inside : inside.startsWith('/') ? inside.slice(1).trimStart() : ''
      return name.startsWith('data') && !/^\w/.test(name.slice('data'.length))
    }).length
}

describe('a fence', () => {
  const data = fc
    .array(
      fc.oneof(
        fc.constantFrom('<', '</', '/', 'data', 'DATA', 'Data', '>', ' ', '\n', '\t', 'base', ...HIDDEN),
        fc.constantFrom('</data>', '</DATA >', '< / data >', '<data source="x">', '</da\u200Bta>', '&lt;'),
        fc.string({ unit: 'binary', maxLength: 3 }),
      ),
      { maxLength: 8 },
    )
    .map((pieces) => pieces.join(''))

  test('stands around the text', () =>
    expect(fence('mail:k3f9ab', 'one\ntwo')).toBe('<data source="mail:k3f9ab">\none\ntwo\n</data>'))

  test.each([
    ['</data>', '&lt;/data>'],
    ['</DATA>', '&lt;/DATA>'],
    ['< / data >', '&lt; / data >'],
    ['<\n/\tdata\n>', '&lt;\n/\tdata\n>'],
    ['</data', '&lt;/data'],
    ['<</data>', '<&lt;/data>'],
    ['</\u200Bda\u00ADta>', '&lt;/\u200Bda\u00ADta>'],
    ['<data source="host">', '&lt;data source="host">'],
  ])('escapes its own tag inside: %j', (text, escaped) =>
    expect(fence('x', text)).toBe(`<data source="x">\n${escaped}\n</data>`),
  )

  test.each(['<database>', '</datum>', 'a < b', '<div>data</div>', 'data > 3'])(
    'leaves other text as it is: %j',
    (text) => expect(fence('x', text)).toBe(`<data source="x">\n${text}\n</data>`),
  )

  test('is closed by no text, and no text opens another', () =>
    fc.assert(
      fc.property(data, data, (source, text) => {
        const fenced = fence(source, text)
        expect(tagsIn(fenced, '</')).toBe(1)
        expect(tagsIn(fenced, '<')).toBe(1)
        expect(fenced).toMatch(/^<data source="[^"<>\s]*">\n/)
        expect(fenced.endsWith('\n</data>')).toBe(true)
      }),
      { numRuns: rounds(3_000) },
    ))

  test('is made in a time that grows with the length only', () => {
    const gap = ' '.repeat(100_000)
    const long = `<${gap}/${gap}d${gap}a${gap}t${gap}x${'<'.repeat(100_000)}`
    expect(fence('x', long)).toContain(long)
  })
})

describe('the line of the time', () => {
  test.each([
    ['2026-03-01T08:30:00Z', 'Europe/Berlin', '[2026-03-01 Sun 09:30 Europe/Berlin]'],
    ['2026-03-29T00:59:59Z', 'Europe/Berlin', '[2026-03-29 Sun 01:59 Europe/Berlin]'],
    ['2026-03-29T01:00:00Z', 'Europe/Berlin', '[2026-03-29 Sun 03:00 Europe/Berlin]'],
    ['2026-10-25T00:30:00Z', 'Europe/Berlin', '[2026-10-25 Sun 02:30 Europe/Berlin]'],
    ['2026-10-25T01:30:00Z', 'Europe/Berlin', '[2026-10-25 Sun 02:30 Europe/Berlin]'],
    ['2026-03-08T06:59:59Z', 'America/New_York', '[2026-03-08 Sun 01:59 America/New_York]'],
    ['2026-03-08T07:00:00Z', 'America/New_York', '[2026-03-08 Sun 03:00 America/New_York]'],
    ['2026-07-31T18:30:00Z', 'Asia/Kolkata', '[2026-08-01 Sat 00:00 Asia/Kolkata]'],
    ['2026-07-31T18:15:00Z', 'Asia/Kathmandu', '[2026-08-01 Sat 00:00 Asia/Kathmandu]'],
    ['2026-01-01T03:29:00Z', 'America/St_Johns', '[2025-12-31 Wed 23:59 America/St_Johns]'],
    ['2026-10-03T15:29:59Z', 'Australia/Lord_Howe', '[2026-10-04 Sun 01:59 Australia/Lord_Howe]'],
    ['2026-10-03T15:30:00Z', 'Australia/Lord_Howe', '[2026-10-04 Sun 02:30 Australia/Lord_Howe]'],
    ['2026-02-28T10:00:00Z', 'Pacific/Kiritimati', '[2026-03-01 Sun 00:00 Pacific/Kiritimati]'],
    ['2024-02-29T12:00:00Z', 'UTC', '[2024-02-29 Thu 12:00 UTC]'],
    ['0999-12-31T23:59:00Z', 'UTC', '[0999-12-31 Tue 23:59 UTC]'],
    ['0042-06-07T00:00:00Z', 'UTC', '[0042-06-07 Sat 00:00 UTC]'],
    ['+012026-03-01T09:30:00Z', 'UTC', '[12026-03-01 Sun 09:30 UTC]'],
    ['+275760-09-13T00:00:00Z', 'Asia/Kolkata', '[275760-09-13 Sat 00:00 Asia/Kolkata]'],
  ])('says what a clock on the wall shows: %s in %s', (at, zone, line) =>
    expect(timeLine(Date.parse(at), zone)).toBe(line),
  )

  test('agrees with the calendar on every day from the year 1 to the last there is', () =>
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: 8_640_000_000_000_000 }), (at) => {
        const [date = '', time = ''] = new Date(at).toISOString().replace(/^\+0?/, '').split('T')
        const days = Math.floor(at / 86_400_000)
        const name = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed'].at(days % 7)
        expect(timeLine(at, 'UTC')).toBe(`[${date} ${name} ${time.slice(0, 5)} UTC]`)
        expect(clockIn(at, 'UTC')).toEqual({ date, time: time.slice(0, 5) })
      }),
    ))
})

test('the label of a note says who wrote it', () => {
  expect(noteLabel({ by: 'person' })).toBe('[note from the person]')
  expect(noteLabel({ by: 'model', turn: 'tn_0n5f8k2q1k3f9ab' as never })).toBe('[note from the model]')
  expect(noteLabel({ by: 'policy', name: 'check-mail' })).toBe('[note from the host]')
})
