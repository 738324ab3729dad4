import fc from 'fast-check'
import { expect, test } from 'vitest'
import { capture, newCapture, outputTexts } from './run-program.ts'

function texts(stdout: readonly Buffer[], stderr: readonly Buffer[], bytesMax: number) {
  const streams = { stdout: newCapture(), stderr: newCapture() }
  for (const chunk of stdout) capture(streams.stdout, chunk, bytesMax)
  for (const chunk of stderr) capture(streams.stderr, chunk, bytesMax)
  return outputTexts(streams, bytesMax)
}

test.for<[string, string, number, string, string]>([
  ['abc', 'de', 5, 'abc', 'de'],
  ['abcdefgh', '', 4, 'abcd\n(4 more bytes were left out)', ''],
  ['abcdefgh', 'x', 4, 'abc\n(5 more bytes were left out)', 'x'],
  ['abcdefgh', 'stuvwxyz', 4, 'ab\n(6 more bytes were left out)', 'st\n(6 more bytes were left out)'],
  ['a', 'stuvwxyz', 4, 'a', 'stu\n(5 more bytes were left out)'],
  ['ab€', '', 4, 'ab\n(1 more bytes were left out)', ''],
])('%j and %j share %i bytes as %j and %j', ([stdout, stderr, bytesMax, out, error]) => {
  const shared = texts([Buffer.from(stdout)], [Buffer.from(stderr)], bytesMax)
  expect([shared.stdout, shared.stderr]).toEqual([out, error])
})

test.each<[string, readonly number[], string]>([
  ['NUL', [97, 0, 98], '(3 bytes of binary output)'],
  ['many damaged characters', [255, 254, 97, 200, 201], '(5 bytes of binary output)'],
  [
    'one damaged character in much text',
    [...Buffer.from('Übersicht der Straßen'), 0xe4],
    'Übersicht der Straßen\u{FFFD}',
  ],
])('output with %s is told apart', (_, bytes, text) =>
  expect(texts([Buffer.from(bytes)], [], 1_000).stdout).toBe(text),
)

test('text that fits comes back as it was, in whatever pieces it came', () =>
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }).filter((text) => !/[\0\u{FFFD}\u{FEFF}]/u.test(text)),
      fc.array(fc.nat({ max: 20 })),
      (text, cuts) => {
        const bytes = Buffer.from(text)
        const edges = [0, ...cuts, bytes.length]
          .map((cut) => Math.min(cut, bytes.length))
          .toSorted((a, b) => a - b)
        const pieces = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
        expect(texts(pieces, [], 10_000)).toEqual({ stdout: text, stderr: '', wasCut: false })
      },
    ),
  ))

function crosses(size: number): Buffer {
  return Buffer.alloc(size, 120)
}

test('what is kept never exceeds the limit', () =>
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 50 })),
      fc.array(fc.nat({ max: 50 })),
      fc.integer({ min: 1, max: 60 }),
      (outs, errors, max) => {
        const { stdout, stderr } = texts(outs.map(crosses), errors.map(crosses), max)
        const kept = `${stdout}${stderr}`.replaceAll(/[^x]/g, '').length
        const all = [...outs, ...errors].reduce((sum, size) => sum + size, 0)
        expect(kept).toBe(Math.min(all, max))
      },
    ),
  ))
