import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Attempts } from './attempts.ts'

/** Wrong secrets from one address, one after another as soon as they count. */
function waits(attempts: Attempts, clock: { now: number }, count: number): number[] {
  return Array.from({ length: count }, () => {
    expect(attempts.failed('10.0.0.1')).toBe(0)
    const waitS = attempts.failed('10.0.0.1')
    clock.now += waitS * 1_000
    return waitS
  })
}

test('[DOOR4] ten wrong secrets are free; then each has a longer wait, up to a minute', () => {
  const clock = { now: 1_000_000 }
  const attempts = new Attempts(() => clock.now)
  for (let count = 0; count < 9; count++) expect(attempts.failed('10.0.0.1')).toBe(0)
  expect(waits(attempts, clock, 9)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
  expect(attempts.failed('10.0.0.2')).toBe(0)
})

test('[DOOR4] what comes too early does not make the wait longer', () => {
  const clock = { now: 1_000_000 }
  const attempts = new Attempts(() => clock.now)
  for (let count = 0; count < 10; count++) attempts.failed('10.0.0.1')
  for (let count = 0; count < 1_000; count++) expect(attempts.failed('10.0.0.1')).toBe(1)
})

test('[DOOR4] many addresses together are slowed down too', () => {
  const attempts = new Attempts(() => 1_000_000)
  for (let count = 0; count < 100; count++) expect(attempts.failed(`10.0.0.${count}`)).toBe(0)
  expect(attempts.failed('10.0.1.1')).toBe(1)
})

test('[DOOR4] ten quiet minutes are a new beginning', () => {
  const clock = { now: 1_000_000 }
  const attempts = new Attempts(() => clock.now)
  for (let count = 0; count < 10; count++) attempts.failed('10.0.0.1')
  clock.now += 600_000
  for (let count = 0; count < 10; count++) expect(attempts.failed('10.0.0.1')).toBe(0)
  expect(attempts.failed('10.0.0.1')).toBe(1)
})

test('[DOOR4] whoever tries, at whatever times, no more than a few a minute count in the long run', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ address: fc.nat({ max: 5_000 }), waitMs: fc.nat({ max: 20_000 }) }), {
        maxLength: 2_000,
      }),
      (tries) => {
        const clock = { now: 1_000_000 }
        const attempts = new Attempts(() => clock.now)
        const counted = tries.filter(({ address, waitMs }) => {
          clock.now += waitMs
          return attempts.failed(String(address)) === 0
        })
        // 100 free ones, seven while the waits grow, one a minute after that.
        expect(counted.length).toBeLessThanOrEqual(107 + (clock.now - 1_000_000) / 60_000)
      },
    ),
    { seed: 18, numRuns: 50 },
  )
})
