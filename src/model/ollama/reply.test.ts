import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linesOf } from './reply.ts'

async function* split(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  for (const [index, place] of places.slice(1).entries()) yield bytes.subarray(places[index], place)
}

test('lines are the same wherever the network cut them, within a letter too', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme', minLength: 1 })),
      fc.array(fc.nat()),
      async (texts, cuts) => {
        const lines = texts.map((text) => JSON.stringify(text))
        const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''))
        expect(await Array.fromAsync(linesOf(split(bytes, cuts)))).toEqual(lines)
      },
    ),
  ))

test('a last line needs no end', async () => {
  const bytes = new TextEncoder().encode('{"a":1}\n\n{"done":true}')
  expect(await Array.fromAsync(linesOf(split(bytes, [3])))).toEqual(['{"a":1}', '{"done":true}'])
})
