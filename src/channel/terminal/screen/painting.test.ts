import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../../base/clock.ts'
import { paintingBy } from './painting.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('however often something happens, it is painted some twenty times a second', () => {
  let paints = 0
  const painting = paintingBy(() => void paints++, systemClock)
  for (let count = 0; count < 50; count++) {
    painting.soon()
    vi.advanceTimersByTime(5)
  }
  expect(paints).toBeGreaterThanOrEqual(4)
  expect(paints).toBeLessThanOrEqual(6)
})

test('what a person does is painted at once, and what was waiting with it', () => {
  let paints = 0
  const painting = paintingBy(() => void paints++, systemClock)
  painting.now()
  painting.soon()
  painting.now()
  expect(paints).toBe(2)
  vi.advanceTimersByTime(120)
  expect(paints).toBe(2)
})

test('a frame that takes long comes more rarely', () => {
  let now = 0
  let paints = 0
  const painting = paintingBy(
    () => {
      paints++
      now += 60
    },
    () => now,
  )
  painting.now()
  painting.soon()
  vi.advanceTimersByTime(150)
  expect(paints).toBe(1)
  vi.advanceTimersByTime(200)
  expect(paints).toBe(2)
})
