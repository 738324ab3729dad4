import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { limits } from '../../base/limits.ts'
import { ChannelError } from '../../channel/channel.ts'
import { EventError } from '../../event/codec.ts'
import { Conversation } from '../../runtime/terminal/conversation.ts'
import { route, type Served } from '../contract/route.ts'
import { eventStream, type Send } from '../contract/sse.ts'

const name = z.string().min(1).max(64)
const ms = z.int().min(0).max(86_400_000)

const asked = z.strictObject({
  thread: name,
  /** Left out: only `waitMs`. */
  say: z
    .strictObject({
      key: name,
      text: z.string(),
      /** How long to wait for the answer of a model that fails, or for any answer. */
      patience: z.strictObject({ ms, with: z.enum(['answer', 'failures']) }).optional(),
    })
    .optional(),
  /** How long to wait afterwards until no branch has work. */
  waitMs: ms.default(0),
})

/** The events: `said` (a delivery), `remark`, `exit`, `refused`, `outcome`. */
export const linesRoute = route({
  method: 'POST',
  path: '/api/lines',
  summary: 'Say something at the terminal, and hear what comes of it',
  access: 'socket',
  body: asked,
  bodyBytesMax: 2 * limits.eventBytesMax,
  handle: async ({ served, body: { thread, say, waitMs } }) =>
    eventStream(served, (send, gone) =>
      seated(served, { thread, send }, async (conversation) => {
        if (say !== undefined) await answer(conversation, say, { send, gone })
        if (waitMs === 0) return
        await conversation.linger(waitMs, gone)
        await conversation.flush()
      }),
    ),
})

/** For a pipe: what comes between its inputs. */
export const linesSeatRoute = route({
  method: 'GET',
  path: '/api/lines/:thread',
  summary: 'Hear what comes to the terminal, for a program that prints lines',
  access: 'socket',
  handle: async ({ served, params: { thread = '' } }) =>
    eventStream(served, (send, gone) =>
      seated(served, { thread, send }, async (conversation) => {
        conversation.sit()
        if (!gone.aborted) await new Promise((resolve) => gone.addEventListener('abort', resolve))
      }),
    ),
})

/** A seat for as long as the work takes. */
async function seated(
  { life, seats }: Served,
  { thread, send }: { thread: string; send: Send },
  work: (conversation: Conversation) => Promise<void>,
): Promise<void> {
  const conversation = new Conversation({
    life,
    seats,
    thread,
    print: (said) => within(SHOWN_MS, send('said', said)),
    remark: (text) => void send('remark', text).catch(() => undefined),
    exit: () => void send('exit', null).catch(() => undefined),
  })
  try {
    await work(conversation)
  } finally {
    conversation.close()
  }
}

async function answer(
  conversation: Conversation,
  { patience, ...say }: NonNullable<z.infer<typeof asked>['say']>,
  { send, gone: signal }: { send: Send; gone: AbortSignal },
): Promise<void> {
  try {
    const over = patience && { ...patience, over: AbortSignal.timeout(patience.ms) }
    const outcome = await conversation.say({ ...say, signal, patience: over })
    if (outcome === undefined) return await send('outcome', null)
    const { branch, turn, results, deliveries, isFailed, failure } = outcome
    const told = results.map(({ form, text }) => ({ form, text }))
    const why = failure && { failure: { reason: failure.reason, message: failure.message } }
    await send('outcome', { branch, turn, results: told, deliveries, isFailed, ...why })
  } catch (error) {
    if (!(error instanceof EventError)) throw error
    await send('refused', error.message)
  }
}

/** A program that does not read any more must not keep the others waiting. It can come back with its key. */
const SHOWN_MS = 5_000

async function within(ms: number, sent: Promise<void>): Promise<void> {
  const late = new AbortController()
  const isLate = sleep(ms, 'late', { signal: late.signal }).catch(() => undefined)
  try {
    if ((await Promise.race([sent, isLate])) === 'late') throw new Error('it does not read')
  } catch (cause) {
    throw new ChannelError('the program that printed this is gone', { isFinal: false, cause })
  } finally {
    late.abort()
  }
}
