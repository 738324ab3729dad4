import fc from 'fast-check'
import { expect, test } from 'vitest'
import { neutral, neutralLine, typedText } from './neutral.ts'

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
      expect(neutralLine(text)).not.toMatch(/[\p{Cc}\p{Cs}]/u)
      expect(typedText(text)).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cs}]/u)
    }),
  ))

test('a pasted text keeps its lines and tabs and loses its escape sequences', () =>
  expect(typedText('make:\r\n\tcc \u001B[32m-o\u001B[0m x\u0000')).toBe('make:\n\tcc -o x'))
