import { expect, test } from 'vitest'
import { within } from './json-schema.ts'

const SLEEPER = new Int32Array(new SharedArrayBuffer(4))

test('what only waited for a busy machine begins again, and what worked all the time is ended', () => {
  let tries = 0
  const late = (): number => {
    tries++
    if (tries === 1) Atomics.wait(SLEEPER, 0, 0)
    return tries
  }
  expect(within(200, late)).toBeGreaterThan(1)
  const forever = (): void => {
    for (;;) tries++
  }
  expect(() => within(20, forever)).toThrow(/timed out/)
})
