import { z } from 'zod'
import { branchFor } from '../../agent/branch/binding.ts'
import { grantTools } from '../../agent/state/approvals.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { route } from '../contract/route.ts'

export const grantRoute = route({
  method: 'POST',
  path: '/api/grants',
  summary: 'Allow tools as they are now',
  access: 'socket',
  body: z.strictObject({
    tools: z.array(z.strictObject({ name: z.string().min(1).max(200), fingerprint: z.string().optional() })),
  }),
  answer: z.strictObject({}),
  handle: async ({ served: { life }, body }) => {
    const { log, desk } = life
    const [at, seed] = [desk.now(), desk.random()]
    const tools = body.tools.map(({ name, ...nature }) => ({ spec: { name }, nature }))
    await log.write((writing) => {
      const branch = branchFor(writing, terminalAddress, { at, seed })
      grantTools(writing, tools, { branch, at, author: { by: 'person' } })
    })
    return {}
  },
})
