import { z } from 'zod'
import { PROGRAM_VERSION } from '../../event/format.ts'
import { Refusal, route } from '../contract/route.ts'

export const handOverRoute = route({
  method: 'POST',
  path: '/api/owner/hand-over',
  summary: 'Asks a chat that owns the log to release it, for a process that stays',
  access: 'socket',
  answer: z.strictObject({}),
  handle: async ({ served: { rank, handOver } }) => {
    if (rank === 'serve') throw new Refusal(409, 'This process stays: stop it first.')
    handOver()
    return {}
  },
})

export const helloRoute = route({
  method: 'GET',
  path: '/api/hello',
  summary: 'Which process owns the log, and its version',
  access: 'owner',
  answer: z.strictObject({
    version: z.string(),
    command: z.string(),
    rank: z.enum(['serve', 'chat']),
    pid: z.int(),
    since: z.int(),
  }),
  handle: async ({ served: { command, rank, since } }) => ({
    version: PROGRAM_VERSION,
    command,
    rank,
    pid: process.pid,
    since,
  }),
})
