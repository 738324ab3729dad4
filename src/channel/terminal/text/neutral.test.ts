import fc from 'fast-check'
import { expect, test } from 'vitest'
import { harmlessJson, neutral, ownStyle, spelledOut, typedText } from './neutral.ts'

test.each([
  ['moves the cursor', 'a\u001B[2Jb\u001B[10;5Hc'],
  ['sets the title', '\u001B]0;owned\u0007'],
  ['writes the clipboard', '\u001B]52;c;cm0gLXJm\u0007'],
  ['hides a link', '\u001B]8;;https://evil.example\u001B\\here\u001B]8;;\u001B\\'],
  ['rings, goes back, deletes', 'a\u0007\u0008\u007F\u000B\u000C'],
  ['uses eight-bit controls', '\u009B2J\u009D0;t\u009C\u0090q\u009C'],
  ['turns the direction of writing', 'abc\u202Edcba\u2066x\u2069'],
  ['is half a character', 'a\uD800b'],
])('a text that %s cannot', (_, text) => {
  expect(neutral(text)).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}\u{202A}-\u{202E}\u{2066}-\u{2069}]/u)
})

test('what a terminal would have obeyed is seen', () => expect(neutral('a\u001B[2Jb\u0007')).toBe('a␛[2Jb␇'))

test('colours are taken away without a trace', () =>
  expect(neutral('\u001B[1;31mred\u001B[0m \u009B38:5:1mx')).toBe('red x'))

test('lines, words and pictures stay', () => {
  const text = 'One\n电车 👩‍👩‍👧‍👦 é ü עברית\n\nend'
  expect(neutral(text)).toBe(text)
  expect(neutral('a\r\nb\rc\u2028d')).toBe('a\nb\nc\nd')
})

test('characters that nobody can see are taken away', () =>
  expect(neutral('in\u200Bvi\u2060si\u00ADble\u{E0041}')).toBe('invisible'))

test('whatever comes in, only line breaks are left of all control characters', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(neutral(text)).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}]/u)
      expect(typedText(text)).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cs}]/u)
    }),
  ))

test('[SAFE6] only our own styles colour a text, and no text can imitate them', () => {
  const { style, shown } = ownStyle('colour')
  const text = style.dim(`a${style.bold('b')}\u001B[31mred\u001B[0m\u001B[2J`)
  expect(shown(text)).toBe('\u001B[2ma\u001B[1mb\u001B[22mred␛[2J\u001B[22m')
  expect(shown(ownStyle('colour').style.red('other'))).not.toContain('\u001B')
})

test('[SAFE6] in a file, what a terminal would obey is spelled out, and lines and tabs stay', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(spelledOut(text)).not.toMatch(/(?!\t|\n|\r\n)[\p{Cc}\p{Bidi_Control}]/u)
      expect(spelledOut(`a\tb\r\nc${text}`)).toBe(`a\tb\r\nc${spelledOut(text)}`)
    }),
  ))

test('[SAFE6] JSON is escaped so that no writer has to change it, and means the same', () =>
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.oneof(
          fc.string({ unit: 'binary', minLength: 1 }),
          fc.constantFrom('\u200F', '\u{E0041}', '\u2028', '\u009B', '\u007F'),
        ),
      }),
      (text) => {
        const json = harmlessJson(JSON.stringify({ text }))
        expect(neutral(json)).toBe(json)
        expect(spelledOut(json)).toBe(json)
        expect(JSON.parse(json)).toEqual({ text })
      },
    ),
  ))

test('a pasted text keeps its lines and tabs and loses its escape sequences', () =>
  expect(typedText('make:\r\n\tcc \u001B[32m-o\u001B[0m x\u0000')).toBe('make:\n\tcc -o x'))
