import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rounds } from '../../../test/rounds.ts'
import { visible } from './call-wording.ts'

test.each([
  ['a tag letter', 'a\u{E0041}b', 'a\\u{E0041}b'],
  ['a selector behind a letter', 'a\uFE0F', 'a\\u{FE0F}'],
  ['a joiner between letters', 'a\u200Db', 'a\\u{200D}b'],
  ['a joiner that joins no known emoji', '😀\u200D😀', '😀\\u{200D}😀'],
  ['tags behind an emoji', '😀\u{E0041}', '😀\\u{E0041}'],
  ['half a character', 'a\uD800', 'a\\u{D800}'],
  ['a filler', '\u3164', '\\u{3164}'],
  ['an empty pattern of dots', '\u2800', '\\u{2800}'],
  ['a character for private use', '\uE000', '\\u{E000}'],
  ['a control character', '\u001B[2J', '\\u{1B}[2J'],
  ['line breaks', 'a\r\nb\u2028c\td', 'a\nb\nc\td'],
  [
    'emoji',
    '👩🏽\u200D🚀 ❤\uFE0F 1\uFE0F\u20E3 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} 🇵🇹',
    null,
  ],
  ['letters of many scripts', 'Größe 漢字 한국 देवनागरी שלום café', null],
])('[SAFE4] %s', (_, text, shown) => expect(visible(text)).toBe(shown ?? text))

test('[SAFE4] whatever a text holds, nothing stays that nobody sees, and nothing that people see changes', () => {
  const letter = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.integer({ min: 0xe0000, max: 0xe01ef }).map((code) => String.fromCodePoint(code)),
    fc.constantFrom('😀', '\u200D', '\uFE0F', '❤', 'a', '\u200B', '\uD83D'),
  )
  const text = fc.array(letter, { maxLength: 30 }).map((letters) => letters.join(''))
  fc.assert(
    fc.property(text, (given) => {
      const rest = visible(given).replaceAll(/\p{RGI_Emoji}/gv, '')
      expect(rest).not.toMatch(/(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}]/v)
      expect(visible(visible(given))).toBe(visible(given))
    }),
    { numRuns: rounds(300) },
  )
})
