import fc from 'fast-check'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Document } from '../src/recall/contract/document.ts'
import { CHUNK_DOCUMENTS } from '../src/recall/index/index-schema.ts'
import { openTextIndex } from '../src/recall/index/sqlite-index.ts'
import type { TextIndex } from '../src/recall/contract/text-index.ts'
import { termsOf } from '../src/recall/words/words.ts'
import { documentsArbitrary } from './recall-index/arbitrary-document.ts'
import { plain, temporaryFolder } from './recall-index/home.ts'
import { naiveIndex, saidBy } from './recall-index/naive.ts'
import { rounds } from './rounds.ts'

test('an index says what going through all documents says, however they were added and by how many', () => {
  const folder = temporaryFolder()
  let runs = 0
  // Which of two handles adds how many next; 'again' opens one of them anew.
  const steps = fc.array(
    fc.record({
      handle: fc.integer({ min: 0, max: 1 }),
      many: fc.integer({ min: 1, max: 20 }),
      again: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  fc.assert(
    fc.property(documentsArbitrary, steps, (documents, steps) => {
      const file = join(folder, `${runs++}.db`)
      const handles = [openTextIndex({ file }), openTextIndex({ file })]
      const expected = naiveIndex(documents)
      const terms = [...Object.keys(expected.postings), 'nothing']
      let added = 0
      for (const { handle, many, again } of steps) {
        if (again) reopen(handles, handle, file)
        added += addBehind(handles[handle] as TextIndex, documents, many)
        const other = handles[1 - handle] as TextIndex
        if (many % 2 === 0) expect(other.watermark).toBe(handles[handle]?.watermark)
        // What is asked in between may be remembered, and must not be wrong later.
        for (const term of terms.slice(0, 3)) other.postings(term)
      }
      added += addBehind(handles[0] as TextIndex, documents, documents.length + 1)
      expect(added).toBe(documents.length)
      for (const index of handles) {
        expect(index.watermark).toBe(documents.at(-1)?.position ?? 0)
        expect(saidBy(index, terms)).toEqual({ ...expected, postings: { ...expected.postings, nothing: [] } })
        index.close()
      }
    }),
    { numRuns: rounds(60) },
  )
})

test('an index in memory says the same as one in a file', () => {
  fc.assert(
    fc.property(documentsArbitrary, (documents) => {
      const index = openTextIndex('memory')
      addBehind(index, documents, documents.length + 1)
      const expected = naiveIndex(documents)
      expect(saidBy(index, Object.keys(expected.postings))).toEqual(expected)
      index.close()
    }),
    { numRuns: rounds(40) },
  )
})

test('postings go on over the border of a chunk, also those that were asked for before', () => {
  const index = openTextIndex({ file: join(temporaryFolder(), 'recall.db') })
  const total = CHUNK_DOCUMENTS + 3_000
  for (let from = 1; from <= total; from += 1_000) {
    const documents = Array.from({ length: Math.min(1_000, total - from + 1) }, (_, n) =>
      plain(from + n, textOf(from + n)),
    )
    index.add(documents, from + documents.length - 1)
    const { documents: found } = index.postings('lamp')
    expect(found).toHaveLength(index.columns.count)
    expect(found.at(-1)).toBe(index.columns.count - 1)
  }
  const every = Array.from({ length: total }, (_, number) => number)
  expect(Array.from(index.postings('lamp').documents)).toEqual(every)
  const third = every.filter((number) => (number + 1) % 3 === 0)
  expect(Array.from(index.postings('third').documents)).toEqual(third)
  expect(new Set(index.postings('third').counts)).toEqual(new Set([2]))
  expect(Array.from(index.postings(`w${CHUNK_DOCUMENTS}`).documents)).toEqual([CHUNK_DOCUMENTS - 1])
  expect(Array.from(index.postings(`w${CHUNK_DOCUMENTS + 1}`).documents)).toEqual([CHUNK_DOCUMENTS])
  index.close()
})

test('each document is found by a word that only it has', () => {
  const index = openTextIndex({ file: join(temporaryFolder(), 'recall.db') })
  const only = ['unique', '雪', 'zażółć', '🦕', '4711', 'สวัสดี', 'ours', '안녕', 'x'.repeat(80), 'ねこ']
  only.forEach((word, number) => index.add([plain(number + 1, `the lamp ${word} is green`)], number + 1))
  only.forEach((word, number) => {
    const [term = ''] = termsOf(word)
    expect([word, ...index.postings(term).documents]).toEqual([word, number])
  })
  index.close()
})

test('a word that nobody used is repaired by what differs least, and then by what is most frequent', () => {
  const index = openTextIndex('memory')
  const said = [
    'restaurant',
    'lamp',
    'lamp',
    'camp',
    'pottery',
    'Wednesday',
    'москва',
    'cat',
    'clump',
    '1234567',
  ]
  index.add(
    said.map((word, n) => plain(n + 1, word)),
    said.length,
  )
  const meant = (typed: string) => index.near(typed)
  expect(meant('lamb')).toEqual(['lamp'])
  expect(meant('xamp')).toEqual(['lamp', 'camp'])
  expect(meant('olamp')).toEqual(['lamp'])
  expect(meant('potery')[0]).toBe('pottery')
  expect(meant('opttery')[0]).toBe('pottery')
  expect(meant('wedensday')[0]).toBe('wednesday')
  expect(meant('wedensdaay')[0]).toBe('wednesday')
  expect(meant('масква')).toEqual(['москва'])
  expect(meant('catt')).toEqual(['cat'])
  for (const typed of ['lmp', '1234568', 'zzzzzz', '', '猫猫'])
    expect([typed, meant(typed)]).toEqual([typed, []])
  index.close()
})

function addBehind(index: TextIndex, documents: readonly Document[], many: number): number {
  const { watermark } = index
  const next = documents.filter(({ position }) => position > watermark).slice(0, many)
  const last = next.at(-1)
  if (last !== undefined) index.add(next, last.position)
  return next.length
}

function reopen(handles: TextIndex[], handle: number, file: string): void {
  handles[handle]?.close()
  handles[handle] = openTextIndex({ file })
}

function textOf(position: number): string {
  return `lamp w${position} ${position % 3 === 0 ? 'third third' : ''}`
}
