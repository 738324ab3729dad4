import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slashCommands, parseInput, parseSlash, type Part } from './parse.ts'
import { rounds } from '../../../test/rounds.ts'

const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom('/', ' ', '\n', '\r', '@', '-', '\uD83D'), fc.string()),
})
const line = fc.oneof(
  fc.constantFrom(
    '/mark A',
    ' /Mark A ',
    '/fork A',
    '/fork A -- go',
    '/clear',
    '/undo please',
    '/mrak',
    '/x@y',
  ),
  fc.constantFrom(
    '',
    '   ',
    'text',
    '  text  ',
    '/',
    '/ x',
    '// x',
    '//x',
    '  //clear',
    '///x',
    '/etc/hosts',
  ),
  fc.constantFrom('    /clear', '\t/clear', '    //x', '> /clear', '\u2028/clear', '\uFEFF/clear'),
  anyText,
)
const written = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 12 })
  .map((lines) => lines.flat().join(''))
const text = fc.oneof(anyText, written)

const isAct = (part: Part | undefined): boolean => part?.kind === 'command' || part?.kind === 'mistake'

/** The lines that are not blank. How many slashes one begins with is looked at elsewhere. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim().replace(/^\/+/, '/'))
  return lines.filter((line) => line !== '')
}

test('any text is read, and no line of it is lost', () =>
  fc.assert(
    fc.property(text, (text) => {
      const parts = parseInput(text)
      expect(parts.flatMap((part) => linesOf('line' in part ? part.line : part.text))).toEqual(linesOf(text))
    }),
    { numRuns: rounds(2_000) },
  ))

test('what is no command stays as it was typed, but for the slash that says so', () =>
  fc.assert(
    fc.property(text, (text) => {
      const [first, ...others] = parseInput(text)
      if (first === undefined || isAct(first)) return
      expect(others).toEqual([])
      const typed = text.trimEnd()
      const said = first.kind === 'message' ? first.text : ''
      if (said === typed) return
      const slash = typed.indexOf('//')
      expect(said).toBe(typed.slice(0, slash) + typed.slice(slash + 1))
      expect(typed.slice(0, slash).trim()).toBe('')
    }),
    { numRuns: rounds(2_000) },
  ))

test('a message of a text that begins with a command begins with a command only where two slashes were typed', () =>
  fc.assert(
    fc.property(text, (text) => {
      const parts = parseInput(text)
      if (!isAct(parts[0])) return
      for (const part of parts) {
        if (!('text' in part) || !isAct(parseInput(part.text)[0])) continue
        const [first = ''] = part.text.split('\n')
        expect(text.split(/\r\n|\r|\n/).map((line) => line.trim())).toContain(`/${first.trim()}`)
      }
    }),
    { numRuns: rounds(2_000) },
  ))

test('commands and texts alternate: two texts in a row would be two turns', () =>
  fc.assert(
    fc.property(text, (text) => {
      const parts = parseInput(text)
      expect(parts.some((part, at) => at > 0 && !isAct(part) && !isAct(parts[at - 1]))).toBe(false)
      expect(parts.every((part) => !('text' in part) || part.text.trim() !== '')).toBe(true)
    }),
    { numRuns: rounds(2_000) },
  ))

test('every text can be sent: with one slash more, if it would be a command', () =>
  fc.assert(
    fc.property(text, (text) => {
      const parts = parseInput(text)
      if (parts.length === 0) return
      if (isAct(parts[0])) {
        expect(parseInput(text.replace('/', '//'))).toEqual([{ kind: 'message', text: text.trimEnd() }])
      } else {
        expect(parts).toHaveLength(1)
      }
    }),
    { numRuns: rounds(2_000) },
  ))

test('a model may write anything as arguments', () =>
  fc.assert(
    fc.property(fc.constantFrom(...slashCommands), text, (name, args) => {
      const read = parseSlash(name, args)
      if (read.kind === 'command') expect(read.command).toMatchObject({ name })
      else expect(read.say).toContain(`Usage: slash ${name}`)
    }),
    { numRuns: rounds(1_000) },
  ))
