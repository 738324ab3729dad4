import { z } from 'zod'
import { limits } from '../../base/limits.ts'
import { unlessAborted } from '../../base/again.ts'
import { ChannelError } from '../../channel/channel.ts'
import type { SocketOrigin } from '../../client/socket.ts'
import { EventError } from '../../event/codec.ts'
import { Conversation } from '../../runtime/terminal/conversation.ts'
import { route, type Route, type Served } from '../contract/route.ts'

const name = z.string().min(1).max(64)
const ms = z.int().min(0).max(86_400_000)

const asked = z.strictObject({
  thread: name,
  /** Left out: only `waitMs`. */
  say: z
    .strictObject({
      key: name,
      text: z.string(),
      /** Where whoever said it stands. */
      folder: z.string().min(1).max(4_096).optional(),
      /** Whole paths of files of this machine that go with it. */
      files: z.array(z.string().max(4_096)).max(20).optional(),
      /** How long to wait for the answer of a model that fails, or for any answer. */
      patience: z.strictObject({ ms, with: z.enum(['answer', 'failures']) }).optional(),
    })
    .optional(),
  /** How long to wait afterwards until no branch has work. */
  waitMs: ms.default(0),
})

/** For programs that print lines. The events: `said` (a delivery), `remark`, `exit`, `refused`, `outcome`. */
export const linesRoutes: readonly Route[] = [
  route('POST /api/lines', {
    summary: 'Say something at the terminal, and hear what comes of it',
    body: asked,
    bodyBytesMax: 2 * limits.eventBytesMax,
    handle: async ({ served, caller, body: { thread, say, waitMs } }) =>
      seatStream(served, thread, async (conversation, client) => {
        const origin = caller.kind === 'socket' ? caller.origin : 'program'
        if (say !== undefined) await answer(conversation, { ...say, origin }, client)
        if (waitMs === 0) return
        await conversation.linger(waitMs, client.gone)
        await conversation.flush()
      }),
  }),
  route('GET /api/lines/:thread', {
    summary: 'Hear what comes to the terminal, for a program that prints lines',
    handle: async ({ served, params: { thread = '' } }) =>
      seatStream(served, thread, async (conversation, { gone }) => {
        conversation.sit()
        if (!gone.aborted) await new Promise((resolve) => gone.addEventListener('abort', resolve))
      }),
  }),
]

interface Client {
  /** Resolves once there is room for more; rejects when the client is gone. */
  readonly send: (event: string, data: unknown) => Promise<void>
  readonly gone: AbortSignal
}

/** After this much waits for a slow client, the sender has to wait. */
const BUFFER_BYTES = 64 * 1_024

/** A seat, and a stream of server-sent events, until the work is done or the client is gone. */
function seatStream(
  { life, seats, warn }: Served,
  thread: string,
  work: (conversation: Conversation, client: Client) => Promise<void>,
): Response {
  const leaving = new AbortController()
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(
    undefined,
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
  )
  const writer = writable.getWriter()
  const send: Client['send'] = async (event, data) => {
    await writer.ready
    // If the client is gone, the next write tells.
    writer.write(Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)).catch(() => undefined)
  }
  const working = async (): Promise<void> => {
    try {
      const conversation = new Conversation({
        life,
        seats,
        thread,
        print: (said) => shown(send('said', said)),
        remark: (text) => void send('remark', text).catch(() => undefined),
        exit: () => void send('exit', null).catch(() => undefined),
      })
      await work(conversation, { send, gone: leaving.signal }).finally(() => conversation.close())
      await writer.close()
    } catch (error) {
      if (leaving.signal.aborted) return
      warn(`A stream ended with a bug: ${(error as Error).stack}`)
      await writer.abort(error)
    }
  }
  writer.closed.catch(() => leaving.abort())
  void working()
  return new Response(readable, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  })
}

async function answer(
  conversation: Conversation,
  { patience, ...say }: NonNullable<z.infer<typeof asked>['say']> & { readonly origin: SocketOrigin },
  { send, gone: signal }: Client,
): Promise<void> {
  try {
    const over = patience && { ...patience, over: AbortSignal.timeout(patience.ms) }
    const outcome = await conversation.say({ ...say, signal, patience: over })
    if (outcome === undefined) return await send('outcome', null)
    const { branch, turn, results, deliveries, isFailed, isStopped, failure } = outcome
    const told = results.map(({ form, text }) => ({ form, text }))
    const why = failure && { failure: { reason: failure.reason, message: failure.message } }
    await send('outcome', {
      branch,
      turn,
      results: told,
      deliveries,
      isFailed,
      ...(isStopped && { isStopped }),
      ...why,
    })
  } catch (error) {
    if (!(error instanceof EventError)) throw error
    await send('refused', error.message)
  }
}

const SHOWN_MS = 5_000

/** A program that does not read any more must not keep the others waiting. It can come back with its key. */
async function shown(sent: Promise<void>): Promise<void> {
  try {
    const isSent = sent.then(() => true)
    if (!(await unlessAborted(AbortSignal.timeout(SHOWN_MS), () => isSent)))
      throw new Error('it does not read')
  } catch (cause) {
    throw new ChannelError('the program that printed this is gone', { isFinal: false, cause })
  }
}
