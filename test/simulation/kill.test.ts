import { expect, test } from 'vitest'
import { killAgentOnce } from './agent/agent-kill.ts'
import { killOnce } from './kill.ts'

const KILLS = 10

test('[LOG1] [LOG2] [LOG3] what a process was told is there after `kill -9`, and nothing is there by half', async () => {
  let acknowledged = 0
  for (let seed = 1; seed <= KILLS; seed++) acknowledged += (await killOnce(seed)).acknowledged
  expect(acknowledged).toBeGreaterThan(KILLS)
})

test('[TURN3] [TURN4] [SEND1] [RECV1] [LOG3] [CTX2] [TOOL1] [PERM2] [SAFE4] [UPD1] an agent that dies of `kill -9` in its turns loses nothing, runs nothing twice and says nothing twice', async () => {
  const sum = { kills: 0, interrupted: 0, shown: 0 }
  for (let seed = 1; sum.kills < KILLS; seed++) {
    const { kills, interrupted, shown } = await killAgentOnce(seed)
    sum.kills += kills
    sum.interrupted += interrupted
    sum.shown += shown
  }
  expect(sum.interrupted).toBeGreaterThan(0)
  expect(sum.shown).toBeGreaterThan(KILLS)
})
