import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PostingsCache } from './postings-cache.ts'
import { PostingsWriter } from './postings.ts'
import { joinPostings, readPostings } from './postings.ts'
import type { Postings } from '../contract/text-index.ts'
import { rounds } from '../../../test/rounds.ts'

const BASE = 1_000

describe('postings as bytes', () => {
  test('come back as they were, however many pieces they were written in', () => {
    const gaps = fc.array(fc.tuple(fc.integer({ min: 1, max: 40_000 }), fc.integer({ min: 1, max: 300 })))
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 5 }), (gaps, pieces) => {
        let last = -1
        const entries = gaps.map(([gap, count]) => ({ document: (last += gap), count }))
        const size = Math.ceil(entries.length / pieces) || 1
        const bytes: number[] = []
        for (let from = 0; from < entries.length; from += size) {
          bytes.push(...written(entries.slice(from, from + size)))
        }
        const read = readPostings(
          [{ base: BASE, documents: entries.length, bytes: Uint8Array.from(bytes) }],
          Infinity,
        )
        expect(Array.from(read.documents)).toEqual(entries.map(({ document }) => BASE + document))
        expect(Array.from(read.counts)).toEqual(entries.map(({ count }) => Math.min(count, 255)))
      }),
    )
  })

  test('take one byte for a near document that has the term once', () => {
    const near = Array.from({ length: 100 }, (_, document) => ({ document, count: 1 }))
    expect(written(near)).toHaveLength(near.length + 1)
  })

  test('end where the reader says', () => {
    const bytes = written([3, 5, 9].map((document) => ({ document, count: 2 })))
    const read = readPostings([{ base: BASE, documents: 3, bytes }], BASE + 6)
    expect(Array.from(read.documents)).toEqual([BASE + 3, BASE + 5])
    expect(Array.from(read.counts)).toEqual([2, 2])
  })

  test('whatever they are, give documents of their chunk and no more than were counted', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 0, max: 50 }), (bytes, documents) => {
        const read = readPostings([{ base: BASE, documents, bytes }], BASE * 2)
        expect(read.documents.length).toBeLessThanOrEqual(documents)
        expect(read.counts).toHaveLength(read.documents.length)
        for (const document of read.documents) {
          expect(document).toBeGreaterThanOrEqual(BASE)
          expect(document).toBeLessThan(BASE * 2)
        }
      }),
      { numRuns: rounds(1_000) },
    )
  })

  test('of a chunk that has grown replace what was known of it', () => {
    const joined = joinPostings(postings([1, 5, 12, 14]), 10, postings([12, 14, 17]))
    expect(Array.from(joined.documents)).toEqual([1, 5, 12, 14, 17])
    expect(joined.counts).toHaveLength(5)
  })
})

describe('postings that were asked for lately', () => {
  const MANY = 800_000

  test('are kept when they are many, and never more than fit', () => {
    const cache = new PostingsCache()
    cache.put('rare', { ...postings([1, 2, 3]), end: 3 })
    expect(cache.get('rare')).toBeUndefined()
    for (const term of ['a', 'b', 'c', 'd', 'e']) {
      cache.put(term, { ...many(MANY), end: MANY })
      cache.get('a')
    }
    expect(['a', 'b', 'c', 'd', 'e'].filter((term) => cache.get(term) !== undefined)).toEqual(['a', 'd', 'e'])
  })

  test('count once, however often they are put', () => {
    const cache = new PostingsCache()
    cache.put('other', { ...many(MANY), end: MANY })
    for (let times = 0; times < 10; times++) cache.put('same', { ...many(MANY), end: MANY })
    expect(cache.get('other')).toBeDefined()
    cache.clear()
    expect(cache.get('same')).toBeUndefined()
  })
})

function written(entries: readonly { document: number; count: number }[]): Uint8Array {
  const writer = new PostingsWriter()
  for (const { document, count } of entries) writer.push(document, Array<string>(count).fill('lamp'))
  const [piece] = writer.pieces()
  expect(piece?.documents).toBe(entries.length)
  return Uint8Array.from(piece?.bytes ?? [])
}

function postings(documents: readonly number[]): Postings {
  return { documents: Uint32Array.from(documents), counts: new Uint8Array(documents.length).fill(1) }
}

function many(count: number): Postings {
  return { documents: new Uint32Array(count), counts: new Uint8Array(count) }
}
