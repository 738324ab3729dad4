import type { TurnId } from '../../event/id.ts'
import type { Answer } from './answer.ts'
import type { Heard } from './ask.ts'
import { ApiError, errorBody } from './error.ts'
import { MODEL, type Wanted } from './request.ts'

/** Proxies cut connections on which nothing comes for a minute, some earlier. */
const KEEP_ALIVE_MS = 10_000

export interface Responding {
  readonly wanted: Pick<Wanted, 'isStream' | 'hasUsage' | 'ignored'>
  readonly now: number
  readonly keepAliveMs?: number
}

/** The response to a request. Throws an ApiError if there is no answer and nothing was sent yet. */
export async function respond(heard: ReadableStream<Heard>, responding: Responding): Promise<Response> {
  const { wanted, now } = responding
  const created = Math.floor(now / 1_000)
  if (wanted.isStream) return streamed(heard, { ...responding, created })
  const last = (await Array.fromAsync(heard)).at(-1)
  if (last?.kind !== 'answered') throw last?.kind === 'failed' ? last.error : GONE
  const { answer } = last
  const message = { role: 'assistant', content: answer.text, refusal: null }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: answer.finish }]
  const head = { id: idOf(answer.turn), object: 'chat.completion', created, model: MODEL }
  return Response.json({ ...head, choices, usage: answer.usage }, { headers: headersOf(wanted, answer.turn) })
}

/** Nobody reads it. */
const GONE = new ApiError(503, 'The client went away.')

function idOf(turn: TurnId): string {
  return `chatcmpl-${turn}`
}

function headersOf({ ignored }: Responding['wanted'], turn: TurnId | undefined): Record<string, string> {
  return {
    ...(turn !== undefined && { 'mainstem-turn': turn }),
    ...(ignored.length > 0 && { 'mainstem-ignored': ignored.join(', ') }),
  }
}

type Streaming = Responding & { readonly created: number }

/**
 * The headers are sent with the first words, so that they can name the turn, and so that a failure before that has its
 * status. Who has to wait longer gets them earlier, with comments that keep the connection open.
 */
async function streamed(heard: ReadableStream<Heard>, streaming: Streaming): Promise<Response> {
  const { wanted, keepAliveMs = KEEP_ALIVE_MS } = streaming
  const reading = new Reading(heard, keepAliveMs)
  let [turn, first]: [TurnId | undefined, Next] = [undefined, await reading.next()]
  for (; first !== 'nothing-yet' && first?.kind === 'taken'; first = await reading.next()) turn = first.turn
  if (first === undefined) throw GONE
  if (first !== 'nothing-yet' && first.kind === 'failed') throw first.error
  const lines = linesOf(reading, { ...streaming, turn, first })
  const headers = {
    ...headersOf(wanted, turn),
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
  }
  return new Response(ReadableStream.from(lines).pipeThrough(new TextEncoderStream()), { headers })
}

/** Undefined: it is over. */
type Next = Heard | 'nothing-yet' | undefined

/** Reads what a client is told, without losing anything when it takes long. */
class Reading {
  readonly #reader: ReadableStreamDefaultReader<Heard>
  readonly #waitMs: number
  #coming: Promise<Heard | undefined> | undefined

  constructor(heard: ReadableStream<Heard>, waitMs: number) {
    this.#reader = heard.getReader()
    this.#waitMs = waitMs
  }

  async next(): Promise<Next> {
    this.#coming ??= this.#reader.read().then(({ value }) => value)
    const waited = Promise.withResolvers<'nothing-yet'>()
    const timer = setTimeout(() => waited.resolve('nothing-yet'), this.#waitMs)
    try {
      const next = await Promise.race([this.#coming, waited.promise])
      if (next !== 'nothing-yet') this.#coming = undefined
      return next
    } finally {
      clearTimeout(timer)
    }
  }
}

async function* linesOf(
  reading: Reading,
  { wanted, created, turn, first }: Streaming & { readonly turn: TurnId | undefined; readonly first: Next },
): AsyncGenerator<string> {
  let id = turn
  let hasBegun = false
  const chunk = (delta: object, finish: Answer['finish'] | null = null): string => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }]
    return data({ ...headOf(id, created), choices, ...(wanted.hasUsage && { usage: null }) })
  }
  for (let next = first; next !== undefined; next = await reading.next()) {
    if (next === 'nothing-yet') {
      yield ': keep-alive\n\n'
      continue
    }
    if (next.kind === 'taken') {
      id = next.turn
      continue
    }
    if (next.kind === 'failed') {
      yield data(errorBody(next.error))
      break
    }
    if (!hasBegun) yield chunk({ role: 'assistant', content: '' })
    hasBegun = true
    if (next.kind === 'text') yield chunk({ content: next.text })
    else {
      const { finish, usage } = next.answer
      yield chunk({}, finish)
      if (wanted.hasUsage) yield data({ ...headOf(id, created), choices: [], usage })
    }
  }
  yield 'data: [DONE]\n\n'
}

function headOf(turn: TurnId | undefined, created: number) {
  return {
    id: turn === undefined ? 'chatcmpl' : idOf(turn),
    object: 'chat.completion.chunk',
    created,
    model: MODEL,
  }
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}
