import { expect, test } from 'vitest'
import { branchOf, documentsFor, indexOf } from '../../../test/recall-search/said.ts'
import { heard, peopleByBranch } from './people.ts'

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
  expect([...peopleByBranch(index)]).toEqual([
    [branchOf(0), ['Anna']],
    [branchOf(1), ['Anna', 'Bert']],
  ])
  expect([...heard(index).names.keys()]).toEqual(['anna', 'user', 'bert'])
  // Nobody is counted again for every question.
  expect(heard(index)).toBe(heard(index))
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
