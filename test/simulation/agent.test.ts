import { expect, test } from 'vitest'
import { AgentHappenings } from './agent/agent-happenings.ts'
import { reportAgent, simulateAgent } from './agent/agent-simulation.ts'
import { seeds } from '../rounds.ts'

test('[TURN1] [TURN2] [TURN3] [TURN4] [TURN5] [SEND1] [RECV1] [MAIL1] [KILL1] [CTX2] [CTX3] [CTX6] [CTX8] [RECALL1] [RECALL2] [TOOL1] [PERM1] [PERM2] [SAFE4] [UPD1] [UPD2] [FORK4] [FORK5] [RUN1] [RUN2] [RUN3] [PING1] [PING2] [PING3] [PING4] [JOB1] [JOB2] [JOB3] [NOTICE1] [CAUSE1] lives of an agent keep the laws, whatever people, models and platforms do, and whenever it dies', async () => {
  const happenings = new AgentHappenings()
  for (const seed of seeds(100)) {
    const { failure } = await simulateAgent(seed, happenings)
    expect(failure && reportAgent(failure)).toBeUndefined()
  }
})

test.each([11, 12])('seed %i lives the same life twice, to the last byte of its log', async (seed) => {
  const first = await simulateAgent(seed, new AgentHappenings())
  const second = await simulateAgent(seed, new AgentHappenings())
  expect(second.bytes).toBe(first.bytes)
  expect(first.bytes.length).toBeGreaterThan(1_000)
})

/**
 * Seeds that found bugs. 4034: an empty message was summed up in as many tokens, and the process crashed. 8694: after a
 * restart two lines were remembered at once, and one was lost. 20063: two branches stopped at once got turns of the same
 * id. 20574: an index found damaged right after it was brought up to date was searched while it was empty.
 */
test.each([279, 4034, 8694, 20063, 20574])(
  '[CTX9] [SAFE4] [PING3] [RECALL2] seed %i, which once broke a law, keeps them all',
  async (seed) => {
    const { failure } = await simulateAgent(seed, new AgentHappenings())
    expect(failure && reportAgent(failure)).toBeUndefined()
  },
)
