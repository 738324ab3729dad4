import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { costOf, maySpend, type SpendingQuestion } from './spending.ts'

const question: SpendingQuestion = {
  limit: { unit: 'money', max: 10 },
  spent: { all: 0, background: 0 },
  purpose: 'person',
  isTold: false,
  isAgreed: false,
}

describe('the limit of a day', () => {
  test.each<[string, Partial<SpendingQuestion>, object]>([
    ['nothing was spent', {}, { kind: 'go' }],
    ['no limit is set', { limit: null, spent: { all: 1e9, background: 1e9 } }, { kind: 'go' }],
    ['it is nearly 80 %', { spent: { all: 7.99, background: 0 } }, { kind: 'go' }],
    ['80 % are reached', { spent: { all: 8, background: 0 } }, { kind: 'go-and-tell', spent: 8, max: 10 }],
    ['80 % were told', { spent: { all: 9, background: 0 }, isTold: true }, { kind: 'go' }],
    [
      'all is spent',
      { spent: { all: 10, background: 0 }, isTold: true },
      { kind: 'ask', spent: 10, max: 10 },
    ],
    [
      'the person agreed',
      { spent: { all: 11, background: 0 }, isTold: true, isAgreed: true },
      { kind: 'go' },
    ],
    [
      'background work used its half',
      { purpose: 'background', spent: { all: 6, background: 5 } },
      { kind: 'wait', because: 'background-half-spent', max: 5 },
    ],
    ['the person goes on beyond that half', { spent: { all: 6, background: 5 } }, { kind: 'go' }],
    [
      'background work comes when all is spent, agreed or not',
      { purpose: 'background', spent: { all: 10, background: 1 }, isAgreed: true },
      { kind: 'wait', because: 'day-spent', max: 10 },
    ],
  ])('%s', (_, more, expected) => expect(maySpend({ ...question, ...more })).toEqual(expected))

  test('once spent, nothing goes on unasked', () =>
    fc.assert(
      fc.property(
        fc.double({ min: 10, max: 1e6, noNaN: true }),
        fc.boolean(),
        fc.boolean(),
        (all, isTold, isPerson) => {
          const purpose = isPerson ? 'person' : 'background'
          const answer = maySpend({ ...question, purpose, isTold, spent: { all, background: 0 } })
          expect(answer.kind).toBe(isPerson ? 'ask' : 'wait')
        },
      ),
    ))
})

const usage = { tokensIn: 1_000_000, tokensOut: 100_000, tokensCached: 600_000, tokensCacheWritten: 200_000 }
const price = { perMillionIn: 5, perMillionOut: 25, perMillionCached: 0.5 }

test('a call costs what its fresh, cached, written and answered tokens cost', () => {
  expect(costOf(usage, { ...price, perMillionCacheWritten: 6.25 })).toBeCloseTo(1 + 0.3 + 1.25 + 2.5)
  expect(costOf(usage, price)).toBeCloseTo(1 + 0.3 + 1 + 2.5)
  expect(costOf(usage, undefined)).toBeNull()
})

test('no call is free that uses a token of a model with a price', () =>
  fc.assert(
    fc.property(fc.nat(1e6), fc.nat(1e6), fc.nat(1e6), (fresh, cached, out) => {
      const cost = costOf(
        { tokensIn: fresh + cached, tokensCached: cached, tokensOut: out, tokensCacheWritten: 0 },
        price,
      )
      expect((cost ?? 0) > 0).toBe(fresh + cached + out > 0)
    }),
  ))
