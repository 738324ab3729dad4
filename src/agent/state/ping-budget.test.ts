import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  daysBetween,
  givenBack,
  hasToken,
  kept,
  newBudget,
  nextRefillAt,
  onDay,
  refilled,
  refillsUntil,
  resized,
  taken,
} from './ping-budget.ts'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE
const NOW = Date.UTC(2026, 2, 1, 8, 30)
const full = newBudget({ capacity: 2, refillMinutes: 10 }, { at: NOW, day: '2026-03-01' })
const spent = [1, 2].reduce(taken, full)

const at = (minutes: number): number => NOW + minutes * MINUTE

describe('a budget', () => {
  test('is full at first, keeps fractions, and never has more than its capacity', () => {
    expect([full, refilled(spent, at(5)), refilled(spent, at(99))].map(({ available }) => available)).toEqual(
      [2, 0.5, 2],
    )
  })

  test('gains nothing and loses nothing by a clock that is set back, and the same time never counts twice', () => {
    const back = refilled(refilled(spent, at(5)), at(-60))
    expect(back.available).toBe(0.5)
    expect(refilled(back, at(5)).available).toBe(0.5)
    expect(refilled(back, at(10)).available).toBe(1)
  })

  test('does not stand still for years after a clock that was years ahead', () => {
    const ahead = [1, 2].reduce(taken, refilled(full, NOW + 900 * DAY))
    const back = refilled(ahead, NOW)
    expect(refilled(back, NOW + DAY + 10 * MINUTE).available).toBe(1)
  })

  test('says when the next token is there, and it is there then', () => {
    const odd = fc.record({
      capacity: fc.integer({ min: 1, max: 9 }),
      refillMinutes: fc.integer({ min: 1, max: 1_000 }),
      spent: fc.integer({ min: 1, max: 9 }),
      gone: fc.integer({ min: 0, max: DAY }),
    })
    fc.assert(
      fc.property(odd, ({ gone, spent: count, ...size }) => {
        const start = newBudget(size, { at: NOW, day: '2026-03-01' })
        const some = Array.from({ length: Math.min(count, size.capacity) }, (_, n) => n).reduce(taken, start)
        const read = refilled(some, NOW + gone)
        const next = nextRefillAt(read)
        expect(next === undefined).toBe(read.available > size.capacity - 1e-6)
        if (next === undefined) return
        expect(refillsUntil(read, next)).toBe(1)
        expect(hasToken(refilled(read, next))).toBe(true)
      }),
    )
  })

  test('of another size grants nothing and is clamped', () => {
    expect(resized(spent, { capacity: 9, refillMinutes: 10 }, NOW).available).toBe(0)
    expect(resized(full, { capacity: 1, refillMinutes: 10 }, NOW).available).toBe(1)
  })

  test('counts by the day: a step back over midnight does not begin it again, a clock that was days ahead does', () => {
    const days = ['2026-03-01', '2026-03-02', '2026-02-28', '2026-02-20']
    expect(days.map((day) => onDay(spent, day).used)).toEqual([2, 0, 2, 0])
    expect([daysBetween('2026-02-28', '2026-03-01'), daysBetween('2026-03-29', '2026-03-28')]).toEqual([
      1, -1,
    ])
  })
})

describe('[PING2] what a ping took', () => {
  test('comes back whole while the budget was not full without it', () => {
    expect(givenBack(refilled(spent, at(5)), 2).available).toBe(1.5)
  })

  test('[PING1] does not come back where that time would not have counted had the ping never been sent', () => {
    const one = taken(full, 1)
    const later = taken(refilled(one, at(10)), 2)
    expect(later.available).toBe(1)
    // Without the first there would have been 2 of 2, and one of them was taken.
    expect(givenBack(later, 1).available).toBe(1)
    expect(givenBack(later, 2).available).toBe(2)
  })

  test('stays away once it has arrived', () => {
    expect(givenBack(kept(spent, 1), 1).available).toBe(0)
  })
})
