import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { globFits } from '../tool/star-fits.ts'
import { fits, parsePattern, patternText } from './pattern.ts'
import { rounds } from '../../test/rounds.ts'

describe('a pattern', () => {
  test.each([
    ['write', { tool: 'write', glob: null }],
    ['write(notes/*)', { tool: 'write', glob: 'notes/*' }],
    ['  git_log  ', { tool: 'git_log', glob: null }],
    ['files__read-file(a (b).md)', { tool: 'files__read-file', glob: 'a (b).md' }],
    ['web_fetch(https://example.com/*)', { tool: 'web_fetch', glob: 'https://example.com/*' }],
  ])('%s is read', (text, pattern) => expect(parsePattern(text)).toEqual(pattern))

  test.each(['', '*', 'git_*', 'a b', 'write()', 'write(a', '(a)', 'write)a(', 'écrire', 'a'.repeat(200)])(
    '%s is none, and says what one is',
    (text) => expect(parsePattern(text)).toEqual({ problem: expect.stringContaining('TOOL(GLOB)') }),
  )

  test('is written as it is read', () =>
    fc.assert(
      fc.property(
        fc.stringMatching(/^[\w-]{1,20}$/),
        fc.option(fc.string({ minLength: 1 })),
        (tool, glob) => {
          const pattern = { tool, glob: glob === null ? null : glob }
          const read = parsePattern(patternText(pattern))
          // Spaces around the whole are trimmed; those inside the brackets stay.
          expect(read).toEqual(pattern)
        },
      ),
    ))

  test('[PERM1] fits its own tool only, whatever its glob', () =>
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (tool, other, subject) => {
        if (tool === other) return
        expect(fits({ tool, glob: null }, { tool: other, subject })).toBe(false)
        expect(fits({ tool, glob: '*' }, { tool: other, subject })).toBe(false)
      }),
    ))
})

describe('a glob', () => {
  test.each([
    ['notes/*', 'notes/a.md', true],
    ['notes/*', 'notes/', true],
    ['notes/*', 'other/notes/a.md', false],
    ['*.md', 'a.md.txt', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a?c', 'a😀c', true],
    ['', '', true],
    ['*', '', true],
    ['a.c', 'abc', false],
    ['https://example.com/*', 'https://example.com.evil.org/', false],
    ['a\nb*', 'a\nbc', true],
  ])('%j on %j: %s', (glob, text, isFitting) => expect(globFits(glob, text)).toBe(isFitting))

  test('means what a regular expression of the same meaning does', () => {
    const sign = fc.constantFrom('a', 'b', '*', '?', '.', '(', '\n')
    fc.assert(
      fc.property(fc.array(sign), fc.array(fc.constantFrom('a', 'b', '.', '(', '\n')), (globSigns, signs) => {
        const [glob, text] = [globSigns.join(''), signs.join('')]
        const source = globSigns.map((one) => (one === '*' ? '.*' : one === '?' ? '.' : RegExp.escape(one)))
        expect(globFits(glob, text)).toBe(new RegExp(`^${source.join('')}$`, 'su').test(text))
      }),
      { numRuns: rounds(2_000) },
    )
  })

  test('takes no longer for stars that could fit in many ways', () => {
    const [glob, text] = ['a*'.repeat(400), `${'a'.repeat(5_000)}b`]
    expect(globFits(`${glob}c`, text)).toBe(false)
  })
})
