import { z } from 'zod'
import { branchFor } from '../../agent/branch/binding.ts'
import { grantTools } from '../../agent/state/approvals.ts'
import { runIn } from '../../agent/state/run.ts'
import type { Json } from '../../base/json.ts'
import { killRun } from '../../command/desk/start-run.ts'
import { refusedHere } from '../../command/read/rights.ts'
import { PROGRAM_VERSION } from '../../event/format.ts'
import { branchIdSchema } from '../../event/id.ts'
import { UPDATE_BYTES_MAX } from '../../mcp/report-updates.ts'
import { reportUpdate } from '../../runtime/life/reported-update.ts'
import { beginAsked } from '../../runtime/terminal/asked-run.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { originOf, Refusal, route, type Route } from '../contract/route.ts'

/** Requests of commands to the process that owns the log. */
export const actRoutes: readonly Route[] = [
  route('GET /api/hello', {
    summary: 'Which process owns the log, and its version',
    answer: z.strictObject({
      version: z.string(),
      command: z.string(),
      rank: z.enum(['serve', 'chat']),
      pid: z.int(),
      since: z.int(),
      /** Why it cannot write now, and waits. */
      waitsFor: z.string().exactOptional(),
    }),
    handle: async ({ served: { command, rank, since, life } }) => ({
      ...waiting(life.waitsFor()),
      version: PROGRAM_VERSION,
      command,
      rank,
      pid: process.pid,
      since,
    }),
  }),

  route('POST /api/owner/hand-over', {
    summary: 'Asks a chat that owns the log to release it, for a process that stays',
    answer: z.strictObject({}),
    handle: async ({ served: { rank, handOver } }) => {
      if (rank === 'serve') throw new Refusal(409, "The log belongs to 'mainstem serve'. Stop it first.")
      handOver()
      return {}
    },
  }),

  route('POST /api/runs', {
    summary: 'Start a background run from the text of a job file',
    body: z.strictObject({
      /** The branch it will be, so that a second request with the same one starts nothing. */
      run: branchIdSchema,
      file: z.string().min(1).max(4_096),
      text: z.string(),
      payload: z.record(z.string(), z.custom<Json>()).optional(),
      model: z.string().max(200).optional(),
    }),
    answer: z.strictObject({ run: branchIdSchema, warnings: z.array(z.string()) }),
    handle: async ({ served, caller, body }) => {
      const key = body.model === undefined ? undefined : ({ key: 'model', json: body.model } as const)
      const refused = key && refusedHere(originOf(caller), key)
      if (refused !== undefined) throw new Refusal(403, refused)
      const begun = await beginAsked(served.life, body)
      if ('problem' in begun) throw new Refusal(400, begun.problem)
      return begun
    },
  }),

  route('DELETE /api/runs/:run', {
    summary: 'Stop a background run',
    answer: z.strictObject({ wasRunning: z.boolean() }),
    handle: async ({ served: { life }, params }) => {
      const run = branchIdSchema.safeParse(params['run']).data
      if (run === undefined || !(await life.log.read((reader) => runIn(reader, run) !== undefined)))
        throw new Refusal(404, 'There is no such run.')
      return { wasRunning: await killRun(life.desk, run) }
    },
  }),

  route('POST /api/updates', {
    summary: 'Tell the main session something before its next answer',
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
  }),

  route('POST /api/grants', {
    summary: 'Allow tools as they are now',
    body: z.strictObject({
      tools: z.array(
        z.strictObject({ name: z.string().min(1).max(200), fingerprint: z.string().optional() }),
      ),
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
  }),
]

function waiting(waitsFor: string | undefined): { readonly waitsFor?: string } {
  return waitsFor === undefined ? {} : { waitsFor }
}
