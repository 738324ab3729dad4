import { describe, expect, test } from 'vitest'
import { AT, DAY, indexOf, type Said } from '../../../test/recall-search/said.ts'
import { meaningOf, sharesOf } from './meaning-search.ts'

/** Of the document with this number, where only `near` means what is asked. */
function meaning(
  said: readonly (Said | string)[],
  { of, near = 0, unknown = [] }: { of: number; near?: number; unknown?: number[] },
) {
  const { columns } = indexOf(...said)
  const asked: number[] = []
  const cosines = (_: Float32Array, documents: Uint32Array) => {
    asked.push(...documents)
    return Float32Array.from(documents, (document) => {
      if (unknown.includes(document)) return Number.NaN
      return document === near ? 1 : 0
    })
  }
  const [found] = meaningOf(columns, { vectors: { cosines }, query: new Float32Array(2) }, Uint32Array.of(of))
  return { found, asked }
}

const long = 'word '.repeat(61)

describe('the meaning of a message', () => {
  test.each<[string, (Said | string)[], number, number]>([
    ['is its own', ['a', 'b', 'c'], 0, 1],
    ['has a share of the one before it', ['b', 'a', 'c'], 1, 0.2],
    ['has less of the one before that', ['b', 'c', 'a'], 2, 0.1],
    ['has nothing of what is farther', ['b', 'c', 'd', 'a'], 3, 0],
    ['has nothing of the one over a long one', ['b', long, 'a'], 2, 0],
    ['has nothing of a long one', [long, 'a'], 1, 0],
    ['has nothing of two long ones', [long, long, 'a'], 2, 0],
    ['has nothing of what was said before a pause', ['b', { text: 'a', at: AT + DAY }], 1, 0],
  ])('%s', (_, ...[said, of, expected]) => {
    expect(meaning(said, { of }).found).toBeCloseTo(expected, 5)
    // The same the other way round.
    const texts = said.map((one) => (typeof one === 'string' ? one : one.text))
    if (said.every((one) => typeof one === 'string'))
      expect(
        meaning(texts.toReversed(), { of: said.length - 1 - of, near: said.length - 1 }).found,
      ).toBeCloseTo(expected, 5)
  })

  test('is not known where it has no vector, and loses nothing where a neighbour has none', () => {
    expect(meaning(['a', 'b'], { of: 0, unknown: [0] }).found).toBeNaN()
    expect(meaning(['a', 'b', 'c'], { of: 0, unknown: [1] }).found).toBe(1)
  })

  test('is asked for once of each document, in their order', () => {
    expect(meaning(['a', 'b', 'c', 'd', 'e', 'f'], { of: 2 }).asked).toEqual([0, 1, 2, 3, 4])
  })
})

const brought = (...values: number[]) => [...sharesOf(Float32Array.from(values))]

test('values become shares of the largest; what is unknown or opposite is nothing', () => {
  expect(brought(-1, 0, 1)).toEqual([0, 0, 1])
  expect(brought(Number.NaN, 2, 4)).toEqual([0, 0.5, 1])
  expect(brought(3)).toEqual([1])
  expect(brought(-2, Number.NaN)).toEqual([0, 0])
  expect(brought()).toEqual([])
})
