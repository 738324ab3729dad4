import { expect, test } from 'vitest'
import { barsOf, peopleOf, scaleTop, slicesOf, totalOf, type Day, type DayPart } from './sums.ts'

const part = (given: Partial<DayPart>): DayPart => ({
  for: 'main',
  model: 'anthropic/sonnet',
  calls: 1,
  tokensIn: 100,
  tokensOut: 10,
  tokensCached: 50,
  cost: 0.5,
  saved: 0.1,
  ...given,
})
const sums = { calls: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: null }
const day = (name: string, ...parts: DayPart[]): Day => ({
  day: name,
  all: sums,
  background: sums,
  parts,
  people: [],
})
const used = (person: string, cost: number) => ({
  ...sums,
  person,
  name: person,
  calls: 1,
  cost,
  limit: null,
})
const days = [
  day('2026-03-02', part({}), part({ for: 'run', model: 'local', cost: null, saved: null })),
  day('2026-02-28', part({ cost: 1 })),
]
const view = { today: { day: '2026-03-02' }, days } as Parameters<typeof barsOf>[0]

test('the parts of all days make up the total, by kind of work and by model', () => {
  for (const by of ['for', 'model'] as const) {
    const slices = slicesOf(days, by)
    expect(slices.reduce((sum, { calls }) => sum + calls, 0)).toBe(totalOf(days).calls)
    expect(slices[0]).toMatchObject({ cost: 1.5, saved: 0.2, calls: 2 })
    expect(slices[1]).toMatchObject({ cost: null })
  }
  expect(slicesOf(days, 'model').map(({ name }) => name)).toEqual(['sonnet', 'local'])
})

test('guests and groups are summed over all days, the dearest first', () => {
  const shared = [
    { ...day('2026-03-02'), people: [used('ana', 1), used('ben', 2)] },
    { ...day('2026-02-28'), people: [used('ana', 3)] },
  ]
  expect(peopleOf(shared).map(({ name, calls, cost }) => [name, calls, cost])).toEqual([
    ['ana', 2, 4],
    ['ben', 1, 2],
  ])
})

test('each day has a bar, also one on which nothing was spent', () => {
  const bars = barsOf(view, { days: 3, by: 'for', unit: 'money' })
  expect(bars.map(({ day: name, amount }) => [name, amount])).toEqual([
    ['2026-02-28', 1],
    ['2026-03-01', 0],
    ['2026-03-02', 0.5],
  ])
  expect(barsOf(view, { days: 1, by: 'for', unit: 'tokens' })[0]?.amount).toBe(220)
})

test.each([
  [0, 1],
  [0.043, 0.05],
  [1, 1],
  [1.1, 1.5],
  [7_300, 8_000],
])('the scale for %s ends at %s', (most, top) => expect(scaleTop(most)).toBeCloseTo(top))
