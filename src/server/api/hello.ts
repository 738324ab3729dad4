import { z } from 'zod'
import { PROGRAM_VERSION } from '../../event/format.ts'
import { route } from '../contract/route.ts'

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
