import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { largest, thresholdFor } from './largest.ts'

const f32 = (...values: number[]) => Float32Array.from(values)

describe('the largest', () => {
  test.each<[string, Float32Array, number, number[]]>([
    ['come first', f32(1, 3, 2), 2, [1, 2]],
    ['are all there are, where there are fewer', f32(1, 3), 5, [1, 0]],
    ['come in their order, where they are equal', f32(2, 1, 2, 2), 2, [0, 2]],
    ['are cut among equal ones', f32(1, 1, 1, 1), 3, [0, 1, 2]],
    ['are none of none', f32(), 3, []],
    ['are none, where none is wanted', f32(1, 2), 0, []],
    ['are above zero', f32(0, -1, 2, 0), 3, [2]],
    ['are numbers', f32(Number.NaN, 1, Number.NaN, 2, Number.NaN), 2, [3, 1]],
    ['may be endless', f32(1, Number.POSITIVE_INFINITY, 2), 2, [1, 2]],
    ['may be tiny', f32(1e-45, 3e-45, 0), 1, [1]],
  ])('%s', (_, ...[values, count, expected]) => {
    expect(largest(values, count)).toEqual(expected)
  })

  test('are those that sorting finds', () => {
    const value = fc.oneof(fc.float({ noNaN: true, min: 0 }), fc.integer({ min: 0, max: 4 }))
    fc.assert(
      fc.property(fc.array(value, { maxLength: 60 }), fc.nat(70), (numbers, count) => {
        const values = Float32Array.from(numbers)
        const sorted = Array.from(values.keys())
          .filter((at) => (values[at] as number) > 0)
          .toSorted((a, b) => (values[b] as number) - (values[a] as number) || a - b)
        expect(largest(values, count)).toEqual(sorted.slice(0, count))
      }),
    )
  })

  test('are found in part of a longer array', () => {
    const values = f32(9, 1, 2, 3, 9)
    expect(largest(values.subarray(1, 4), 2)).toEqual([2, 1])
  })
})

test('a threshold lets pass as many as are wanted, and those that equal the last of them', () => {
  const values = f32(5, 1, 4, 4, 4, 2)
  expect(thresholdFor(values, 2)).toBe(4)
  expect(thresholdFor(values, 5)).toBe(2)
  expect(thresholdFor(values, 6)).toBe(0)
  expect(thresholdFor(f32(0, 0, 1), 2)).toBe(0)
})
