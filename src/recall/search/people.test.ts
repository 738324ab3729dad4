import { expect, test } from 'vitest'
import { branchOf, documentsFor, indexOf, Talk } from '../../../test/recall-search/said.ts'
import type { BranchId } from '../../event/id.ts'
import { heard, heardWithin } from './people.ts'

test('people are heard where they speak; the assistant, tools and the host are no people', () => {
  const index = indexOf(
    { by: 'Anna', text: 'a' },
    { by: 'assistant', text: 'b' },
    { by: 'web', kind: 'tool', text: 'c' },
    { by: 'host', text: 'd' },
    { by: 'user', text: 'e' },
    { by: 'Bert', text: 'f', branch: 1 },
    { by: 'Anna', text: 'g', branch: 1 },
  )
  expect([...heard(index).people]).toEqual([
    ['Anna', new Set([branchOf(0), branchOf(1)])],
    ['Bert', new Set([branchOf(1)])],
  ])
  expect([...heard(index).names.keys()]).toEqual(['anna', 'user', 'bert'])
  // Nobody is counted again for every question.
  expect(heard(index)).toBe(heard(index))
})

test('who writes no more than a note speaks there too; a note of the host is nobody’s', () => {
  const index = indexOf(
    { by: 'Anna', kind: 'note', text: 'a' },
    { by: 'host', kind: 'note', text: 'b', branch: 1 },
    { by: 'user', kind: 'note', text: 'c', branch: 1 },
    { by: 'extract', kind: 'summary', text: 'd', branch: 1 },
  )
  expect([...heard(index).people]).toEqual([['Anna', new Set([branchOf(0)])]])
  expect([...heard(index).names.keys()]).toEqual(['anna', 'user'])
})

test('a name counts only where somebody who bears it speaks in what is searched', () => {
  const index = indexOf(
    { by: 'Anna Smith', text: 'a' },
    { by: 'Rose Smith', text: 'b', branch: 1 },
    { by: '田中', text: 'c', branch: 1 },
  )
  const inside = heardWithin(index, (branch) => (branch === branchOf(0) ? [{ from: 1, to: 1 }] : []))
  expect([...inside.names]).toEqual([
    ['anna', new Set([0])],
    ['smith', new Set([0])],
  ])
  expect(inside.unspaced.size).toBe(0)
  expect(heardWithin(index, () => 'all')).toBe(heard(index))
})

const inFirst = (branch: BranchId) => (branch === branchOf(0) ? 'all' : [])

test('a word that is also the name of a stranger is looked for as a word', async () => {
  const talk = new Talk()
  await talk.say('the rose by the gate is red', 'the lamp is red', { by: 'Rose', text: 'red', branch: 1 })
  const { hits } = await talk.find('is the Rose red?', { within: inFirst })
  expect(hits[0]?.why.matched).toEqual(['Rose', 'red'])
  const [best] = (await talk.find('is the Rose red?')).hits
  expect(best).toMatchObject({ speaker: 'Rose', why: { matched: ['red'] } })
})

test('a name is known by each of its words, and one of no letters or one letter by none', () => {
  const index = indexOf(
    { by: 'Anna-Lena O’Brien', text: 'a' },
    { by: 'José 2', text: 'b' },
    { by: '!?', text: 'c' },
    { by: '田中', text: 'd' },
  )
  const { names, unspaced } = heard(index)
  expect([...names.keys()]).toEqual(['anna', 'lena', 'brien', 'jose'])
  expect([...unspaced.keys()]).toEqual(['田中'])
})

test('who speaks later is heard later, and an index that begins anew knows nobody', () => {
  const index = indexOf({ by: 'Anna', text: 'a' })
  expect([...heard(index).names.keys()]).toEqual(['anna'])
  index.add(documentsFor([{ by: 'Bert', text: 'b' }], 1), 2)
  expect([...heard(index).names.keys()]).toEqual(['anna', 'bert'])
  index.clear()
  expect(heard(index).names.size).toBe(0)
  index.add(
    documentsFor([
      { by: 'Cleo', text: 'a' },
      { by: 'Dora', text: 'b' },
      { by: 'Emil', text: 'b' },
    ]),
    3,
  )
  expect([...heard(index).names.keys()]).toEqual(['cleo', 'dora', 'emil'])
})
