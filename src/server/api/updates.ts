import { z } from 'zod'
import { UPDATE_BYTES_MAX } from '../../mcp/report-updates.ts'
import { reportUpdate } from '../../runtime/life/reported-update.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { route } from '../contract/route.ts'

export const reportRoute = route({
  method: 'POST',
  path: '/api/updates',
  summary: 'Tell the main session something before its next answer',
  access: 'owner',
  body: z.strictObject({
    /** The same key again reports nothing. */
    key: z.string().min(1).max(64),
    text: z
      .string()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= UPDATE_BYTES_MAX, { error: 'it is too long' }),
    source: z.string().min(1).max(80),
  }),
  answer: z.strictObject({}),
  handle: async ({ served: { life }, body }) => {
    await reportUpdate(life.log, terminalAddress, { ...body, at: life.desk.now() })
    return {}
  },
})
