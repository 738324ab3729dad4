import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { paintingBy } from './painting.ts'

test('however often something happens, it is painted some twenty times a second', async () => {
  let paints = 0
  const painting = paintingBy(() => void paints++, systemClock)
  for (let count = 0; count < 50; count++) {
    painting.soon()
    await sleep(5)
  }
  await sleep(100)
  painting.end()
  expect(paints).toBeGreaterThanOrEqual(2)
  expect(paints).toBeLessThanOrEqual(14)
})

test('what a person does is painted at once, and what was waiting with it', async () => {
  let paints = 0
  const painting = paintingBy(() => void paints++, systemClock)
  painting.now()
  painting.soon()
  painting.now()
  expect(paints).toBe(2)
  await sleep(120)
  expect(paints).toBe(2)
})

test('a frame that takes long comes more rarely', async () => {
  let now = 0
  const paintedAt: number[] = []
  const painting = paintingBy(
    () => {
      paintedAt.push(systemClock())
      now += 60
    },
    () => now,
  )
  painting.now()
  painting.soon()
  await sleep(150)
  expect(paintedAt).toHaveLength(1)
  await sleep(200)
  expect(paintedAt).toHaveLength(2)
})
