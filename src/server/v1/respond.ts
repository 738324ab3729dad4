import type { TurnId } from '../../event/id.ts'
import type { Answer } from './answer.ts'
import { ApiError, errorBody } from './error.ts'
import { MODEL, type Wanted } from './request.ts'

/** What a client is told, in this order. The last is an answer or an error; nothing, if the client went away. */
export type Heard =
  | { readonly kind: 'taken'; readonly turn: TurnId }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly error: ApiError }

export type Tell = (heard: Heard) => void

/** Proxies cut connections on which nothing comes for a minute, some earlier. */
const KEEP_ALIVE_MS = 10_000

interface Responding {
  readonly wanted: Pick<Wanted, 'isStream' | 'hasUsage' | 'ignored'>
  readonly now: number
  readonly keepAliveMs?: number
}

/** The response to a request, made of what `work` tells. Throws an ApiError if there is no answer and nothing was sent yet. */
export async function respond(
  work: (tell: Tell) => Promise<void>,
  responding: Responding,
): Promise<Response> {
  const { wanted, now } = responding
  if (wanted.isStream) return streamed(work, responding)
  let last: Heard | undefined
  await work((heard) => void (last = heard))
  const { answer } = answeredOf(last)
  const message = { role: 'assistant', content: answer.text, refusal: null }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: answer.finish }]
  const head = headOf('chat.completion', answer.turn, now)
  return Response.json({ ...head, choices, usage: answer.usage }, { headers: headersOf(wanted, answer.turn) })
}

function answeredOf(last: Heard | undefined): Extract<Heard, { kind: 'answered' }> {
  if (last?.kind === 'answered') return last
  throw last?.kind === 'failed' ? last.error : GONE
}

/** Never seen: there is no client to send it to. */
const GONE = new ApiError(503, 'The client went away.')

function headOf(object: string, turn: TurnId | undefined, now: number) {
  const id = turn === undefined ? 'chatcmpl' : `chatcmpl-${turn}`
  return { id, object, created: Math.floor(now / 1_000), model: MODEL }
}

function headersOf({ ignored }: Responding['wanted'], turn: TurnId | undefined): Record<string, string> {
  return {
    ...(turn !== undefined && { 'mainstem-turn': turn }),
    ...(ignored.length > 0 && { 'mainstem-ignored': ignored.join(', ') }),
  }
}

/**
 * The headers are sent with the first words, so that they can name the turn, and so that a failure before that has its
 * status. Who has to wait longer gets them earlier, with comments that keep the connection open.
 */
function streamed(
  work: (tell: Tell) => Promise<void>,
  { wanted, now, keepAliveMs = KEEP_ALIVE_MS }: Responding,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const { readable, writable } = new TextEncoderStream()
  const writer = writable.getWriter()
  let turn: TurnId | undefined
  let [isOpen, hasBegun] = [false, false]
  const write = (block: string): void => {
    const type = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }
    if (!isOpen) resolve(new Response(readable, { headers: { ...headersOf(wanted, turn), ...type } }))
    isOpen = true
    keepAlive.refresh()
    // A client that went away shows elsewhere.
    writer.write(`${block}\n\n`).catch(() => undefined)
  }
  const chunk = (choices: object[], usage: Answer['usage'] | null = null): void => {
    const head = headOf('chat.completion.chunk', turn, now)
    write(data({ ...head, choices, ...(wanted.hasUsage && { usage }) }))
  }
  const say = (delta: object, finish: Answer['finish'] | null = null): void =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: finish }])
  const tell: Tell = (heard) => {
    if (heard.kind === 'taken') turn = heard.turn
    else if (heard.kind !== 'failed') {
      if (!hasBegun) say({ role: 'assistant', content: '' })
      hasBegun = true
      if (heard.kind === 'text') return say({ content: heard.text })
      say({}, heard.answer.finish)
      if (wanted.hasUsage) chunk([], heard.answer.usage)
    } else if (isOpen) write(data(errorBody(heard.error)))
    else reject(heard.error)
  }
  const keepAlive = setInterval(() => write(': keep-alive'), keepAliveMs)
  const ended = (): Promise<void> => {
    if (isOpen) write('data: [DONE]')
    reject(GONE)
    return writer.close()
  }
  const failed = (error: unknown): Promise<void> => {
    reject(error)
    return writer.abort(error)
  }
  const working = work(tell).finally(() => clearInterval(keepAlive))
  working.then(ended, failed).catch(() => undefined)
  return promise
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}`
}
