import { test } from 'vitest'
import { rounds } from '../rounds.ts'
import { killAgentOnce } from './agent/agent-kill.ts'
import { killOnce } from './kill.ts'

const KILLS = rounds(30)

// Both repeat until there was something to lose: how far a process gets before it dies depends on the machine.
test('[LOG1] [LOG2] [LOG3] what a process was told is there after `kill -9`, and nothing is there by half', async () => {
  const sum = { kills: 0, acknowledged: 0 }
  for (let seed = 1; sum.kills < KILLS || sum.acknowledged === 0; seed++) {
    const { kills, acknowledged } = await killOnce(seed)
    sum.kills += kills
    sum.acknowledged += acknowledged
  }
})

test('[TURN3] [TURN4] [SEND1] [RECV1] [LOG3] [CTX2] [TOOL1] [PERM2] [SAFE4] [UPD1] [UPD2] [FORK4] [FORK5] [RUN1] [RUN2] [RUN3] [PING1] [PING2] [PING3] [PING4] [JOB1] [JOB3] an agent that dies of `kill -9` in its turns loses nothing, runs nothing twice and says nothing twice', async () => {
  const whats = ['kills', 'interrupted', 'shown', 'runs', 'forks', 'updates', 'firings'] as const
  const sum = new Map<string, number>()
  const isSeen = (what: string): boolean => (sum.get(what) ?? 0) > 0
  for (let seed = 1; (sum.get('kills') ?? 0) < KILLS || !whats.every(isSeen); seed++) {
    const survived = await killAgentOnce(seed)
    for (const what of whats) sum.set(what, (sum.get(what) ?? 0) + survived[what])
  }
})
