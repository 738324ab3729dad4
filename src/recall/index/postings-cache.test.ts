import { expect, test } from 'vitest'
import { TermCounts } from './postings-cache.ts'

/** Counts of one term by chunk, which the test changes. */
function storage(counts: number[]) {
  const asked: number[] = []
  return {
    asked,
    countIn(_: string, { from, to }: { from: number; to: number }) {
      for (let chunk = from; chunk < to; chunk++) asked.push(chunk)
      return counts.slice(from, to).reduce((sum, count) => sum + count, 0)
    },
  }
}

test('a count is that of all chunks, also of the one that still grows', () => {
  const counts = [3]
  const stored = storage(counts)
  const known = new TermCounts()
  expect(known.of('clay', 0, stored)).toBe(3)
  counts[0] = 5
  expect(known.of('clay', 0, stored)).toBe(5)
  counts.push(2, 1)
  expect(known.of('clay', 2, stored)).toBe(8)
  counts[2] = 4
  expect(known.of('clay', 2, stored)).toBe(11)
  expect(known.of('clay', 3, stored)).toBe(11)
})

test('a chunk that is full is asked about once', () => {
  const stored = storage([1, 1, 1, 1])
  const known = new TermCounts()
  for (const full of [2, 2, 3]) known.of('clay', full, stored)
  expect(stored.asked.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 2, 2, 3])
})

test('what was counted in an index that began anew is forgotten', () => {
  const counts = [7, 0]
  const known = new TermCounts()
  expect(known.of('clay', 1, storage(counts))).toBe(7)
  known.clear()
  counts[0] = 2
  expect(known.of('clay', 1, storage(counts))).toBe(2)
})
