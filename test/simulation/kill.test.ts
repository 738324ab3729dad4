import { expect, test } from 'vitest'
import { killAgentOnce } from './agent/agent-kill.ts'
import { killOnce } from './kill.ts'

const KILLS = 10

test('[LOG1] [LOG2] [LOG3] what a process was told is there after `kill -9`, and nothing is there by half', async () => {
  const sum = { kills: 0, acknowledged: 0 }
  for (let seed = 1; sum.kills < KILLS; seed++) {
    const { kills, acknowledged } = await killOnce(seed)
    sum.kills += kills
    sum.acknowledged += acknowledged
  }
  expect(sum.acknowledged).toBeGreaterThan(KILLS)
})

test('[TURN3] [TURN4] [SEND1] [RECV1] [LOG3] [CTX2] [TOOL1] [PERM2] [SAFE4] [UPD1] [UPD2] [FORK4] [FORK5] [RUN1] [RUN2] [RUN3] [PING1] [PING2] [PING3] [PING4] [JOB1] [JOB3] an agent that dies of `kill -9` in its turns loses nothing, runs nothing twice and says nothing twice', async () => {
  const sum = { kills: 0, interrupted: 0, shown: 0, runs: 0, forks: 0, updates: 0, firings: 0 }
  for (let seed = 1; sum.kills < KILLS; seed++) {
    const survived = await killAgentOnce(seed)
    for (const what of ['kills', 'interrupted', 'shown', 'runs', 'forks', 'updates', 'firings'] as const)
      sum[what] += survived[what]
  }
  expect(sum.interrupted).toBeGreaterThan(0)
  expect(sum.shown).toBeGreaterThan(KILLS)
  for (const what of ['runs', 'forks', 'updates', 'firings'] as const) expect(sum[what]).toBeGreaterThan(0)
})
