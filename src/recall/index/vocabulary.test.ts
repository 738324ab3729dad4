import fc from 'fast-check'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { prepareTables } from './index-schema.ts'
import { Vocabulary } from './vocabulary.ts'
import { rounds } from '../../../test/rounds.ts'

const LONG_WORD = 8
/** With more than this, not all would be counted. */
const KNOWN = 24

test('every word that one mistake makes of a known one leads back to it, and a long one after two', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 10 })
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: KNOWN }), word, (known, typed) => {
      const found = vocabularyOf(known).near(typed, () => 1)
      const others = [...new Set(known)].filter((other) => other !== typed)
      const near = others.filter((other) => distance(typed, other) === 1)
      const far = others.filter((other) => distance(typed, other) === 2)
      expect(near.filter((other) => !found.includes(other))).toEqual([])
      expect(found.filter((other) => !near.includes(other) && !far.includes(other))).toEqual([])
      if (typed.length < LONG_WORD) expect(found.filter((other) => !near.includes(other))).toEqual([])
      const sure = far.filter((other) => other.slice(0, 2) === typed.slice(0, 2) && typed.length >= LONG_WORD)
      expect(sure.filter((other) => !found.includes(other))).toEqual([])
    }),
    { numRuns: rounds(300) },
  )
})

test('the more frequent of two words that differ as much comes first, and what nobody uses any more not at all', () => {
  const counts = new Map([
    ['lamp', 2],
    ['camp', 9],
    ['damp', 0],
    ['ramps', 99],
  ])
  expect(vocabularyOf([...counts.keys()]).near('xamp', (term) => counts.get(term) ?? 0)).toEqual([
    'camp',
    'lamp',
  ])
})

function vocabularyOf(words: readonly string[]): Vocabulary {
  const db = new DatabaseSync(':memory:')
  prepareTables(db)
  const vocabulary = new Vocabulary(db)
  for (const word of words) vocabulary.add(word)
  return vocabulary
}

/** Letters to add, take away, change or swap, by trying everything; 3 for more than two. */
function distance(a: string, b: string, left = 2): number {
  if (left < 0) return 3
  if (a === '' || b === '') return a.length + b.length
  const [restA, restB] = [a.slice(1), b.slice(1)]
  const isSwapped = a.length > 1 && a[0] === b[1] && a[1] === b[0]
  const ways = [distance(restA, restB, left - 1), distance(a, restB, left - 1), distance(restA, b, left - 1)]
  if (isSwapped) ways.push(distance(a.slice(2), b.slice(2), left - 1))
  const changed = 1 + Math.min(...ways)
  return Math.min(3, a[0] === b[0] ? Math.min(changed, distance(restA, restB, left)) : changed)
}
