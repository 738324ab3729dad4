import { expect, test } from 'vitest'
import { killOnce } from './kill.ts'

const KILLS = 10

test('[LOG1] [LOG2] [LOG3] what a process was told is there after `kill -9`, and nothing is there by half', async () => {
  let acknowledged = 0
  for (let seed = 1; seed <= KILLS; seed++) acknowledged += (await killOnce(seed)).acknowledged
  expect(acknowledged).toBeGreaterThan(KILLS)
})
