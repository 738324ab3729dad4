import { z } from 'zod'
import { killRun } from '../../command/desk/start-run.ts'
import { runIn } from '../../agent/state/run.ts'
import { branchIdSchema } from '../../event/id.ts'
import { beginAsked } from '../../runtime/terminal/asked-run.ts'
import { Refusal, route } from '../contract/route.ts'

export const beginRunRoute = route({
  method: 'POST',
  path: '/api/runs',
  summary: 'Start a background run from the text of a job file',
  access: 'socket',
  body: z.strictObject({
    /** The branch it will be, so that a second request with the same one starts nothing. */
    run: branchIdSchema,
    file: z.string().min(1).max(4_096),
    text: z.string(),
    payload: z.record(z.string(), z.json()).optional(),
    model: z.string().max(200).optional(),
  }),
  answer: z.strictObject({ run: branchIdSchema, warnings: z.array(z.string()) }),
  handle: async ({ served, body }) => {
    const begun = await beginAsked(served.life, body)
    if ('problem' in begun) throw new Refusal(400, begun.problem)
    return { ...begun, warnings: [...begun.warnings] }
  },
})

export const endRunRoute = route({
  method: 'DELETE',
  path: '/api/runs/:run',
  summary: 'Stop a background run',
  access: 'socket',
  answer: z.strictObject({ wasRunning: z.boolean() }),
  handle: async ({ served, params: { run = '' } }) => {
    const { data } = branchIdSchema.safeParse(run)
    const isKnown = data && (await served.life.log.read((reader) => runIn(reader, data) !== undefined))
    if (data === undefined || isKnown !== true) throw new Refusal(404, 'There is no such run.')
    return { wasRunning: await killRun(served.life.desk, data) }
  },
})
