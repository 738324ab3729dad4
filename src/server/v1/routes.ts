import { z } from 'zod'
import { route, type Route, type RouteCall } from '../contract/route.ts'
import { ask } from './ask.ts'
import { ApiError } from './error.ts'
import { chatBody, MODEL, readRequest, type ChatBody } from './request.ts'
import { respond, type Tell } from './respond.ts'

/** A long conversation with a few images, which clients send again with every request. */
const BODY_BYTES_MAX = 8 * 1024 * 1024
const TIMEOUT_MAX_S = 3_600

const model = z.strictObject({
  id: z.literal(MODEL),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.literal(MODEL),
})

function modelOf({ served: { since } }: RouteCall): z.infer<typeof model> {
  return { id: MODEL, object: 'model', created: Math.floor(since / 1_000), owned_by: MODEL }
}

/** Main for clients of OpenAI's chat completions. */
export const v1Routes: readonly Route[] = [
  route('GET /v1/models', {
    summary: 'The one model of this server: the main session',
    answer: z.strictObject({ object: z.literal('list'), data: z.array(model) }),
    handle: async (call) => ({ object: 'list' as const, data: [modelOf(call)] }),
  }),
  route(`GET /v1/models/${MODEL}`, {
    summary: 'The model of this server',
    answer: model,
    handle: async (call) => modelOf(call),
  }),
  route('POST /v1/chat/completions', {
    summary: 'Say something to the main session and get its answer, whole or as a stream',
    body: chatBody,
    bodyBytesMax: BODY_BYTES_MAX,
    handle: complete,
  }),
]

async function complete(call: RouteCall<unknown, ChatBody>): Promise<Response> {
  const { request, body } = call
  const { life } = call.served
  const { dedupTtl: ttlMs, v1PatienceMs, attachments } = life.config.values
  const wanted = readRequest(body, { imageBytesMax: attachments.maxBytes })
  const now = life.desk.now()
  const own = request.headers.get('idempotency-key')
  const key = await life.programs.keyFor(own === null ? JSON.stringify(body) : `key ${own}`, { now, ttlMs })
  const question = {
    ...wanted,
    key,
    patienceMs: patienceIn(request) ?? v1PatienceMs,
    stopsOnAbort: request.headers.get('mainstem-stop-on-abort') === 'true',
  }
  const work = (tell: Tell) => ask(life, question, { gone: request.signal, tell })
  return respond(work, { wanted, now })
}

/** How long the client says it waits. Undefined: it does not say. */
function patienceIn({ headers }: Request): number | undefined {
  const given = headers.get('mainstem-timeout')
  if (given === null) return undefined
  const seconds = Number(given)
  if (!(seconds > 0 && seconds <= TIMEOUT_MAX_S))
    throw new ApiError(400, `mainstem-timeout is a number of seconds, at most ${TIMEOUT_MAX_S}.`)
  return seconds * 1_000
}
