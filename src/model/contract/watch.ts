import { fault, faultOf, type Scene } from './fault.ts'
import type { ModelError } from './model.ts'

/** Limits of one answer. A stream may drip keep-alives or text for ever, so silence is not the only limit. */
export interface AnswerLimits {
  /** How long a provider may be silent, before its answer and within it. */
  readonly idleMs: number
  /** How long the whole answer may take. */
  readonly answerMs: number
  /** How much may be received, wire format included. */
  readonly answerBytesMax: number
}

export const answerLimits: AnswerLimits = {
  idleMs: 300_000,
  answerMs: 30 * 60_000,
  // The longest answers of today's models have some 40 MB on the wire.
  answerBytesMax: 64 * 1024 * 1024,
}

/** A longer line makes the readers of streams slow: they search it again with every piece. */
const LINE_BYTES_MAX = 8 * 1024 * 1024
const LINE_END = 10

/** Watches over one call: ends it when its caller aborts or when the answer exceeds one of its limits. */
export interface Watch {
  /** Like the global fetch, without redirects; every byte it brings restarts the timer. */
  readonly fetch: typeof globalThis.fetch
  /** The result of `work`, unless the watch ends first: then its error, at once, whatever `work` still does. */
  until<Result>(work: Promise<Result>): Promise<Result>
  /** Passes pieces on to `told` until the call is over. */
  tell(told: ((piece: string) => void) | undefined): (piece: string) => void
  /** Keeps every piece of the reply that came, thoughts and arguments too. */
  readonly hear: (piece: string) => void
  /** Why the call failed. A reply that cannot be read because its connection broke is the network's fault. */
  fault(error: unknown): ModelError
  stop(): void
}

export function startWatch(
  scene: Scene,
  { signal, limits }: { readonly signal: AbortSignal; readonly limits: AnswerLimits },
): Watch {
  const { idleMs, answerMs, answerBytesMax } = limits
  const endsAt = scene.now() + answerMs
  const inner = new AbortController()
  const over = Promise.withResolvers<never>()
  // Without this, an abort after the call's end would be an unhandled rejection.
  over.promise.catch(() => undefined)
  let isOver = false
  let broken: unknown
  const came: Came = { isTaken: false, heard: '' }
  let [bytes, lineBytes] = [0, 0]

  const end = (error: ModelError): void => {
    stop()
    over.reject(error)
    inner.abort(error)
  }
  const onAbort = (): void => end(fault('aborted', scene))
  const timer = setTimeout(
    () => end(fault('silent', scene, { code: `${Math.round(idleMs / 1000)} s` })),
    idleMs,
  )
  const stop = (): void => {
    isOver = true
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })

  const onBytes = (received: Uint8Array = NOTHING): void => {
    // Refreshing would restart a timer that was cleared.
    if (isOver) return
    timer.refresh()
    bytes += received.length
    const lineEnd = received.lastIndexOf(LINE_END)
    lineBytes = lineEnd < 0 ? lineBytes + received.length : received.length - lineEnd
    if (bytes > answerBytesMax || lineBytes > LINE_BYTES_MAX) end(fault('too-long', scene))
    else if (scene.now() > endsAt) end(fault('endless', scene, { code: `${Math.round(answerMs / 1000)} s` }))
  }
  const onBreak = (error: unknown): void => void (broken = error)
  return {
    fetch: async (input, init) => {
      const fetching = globalThis.fetch(input, { ...init, signal: inner.signal, redirect: 'manual' })
      const response = await noteTaken(came, fetching, inner.signal)
      onBytes()
      const target = response.status >= 300 && response.status < 400 && response.headers.get('location')
      if (target) {
        void response.body?.cancel().catch(onBreak)
        throw redirected(scene, response.status, target)
      }
      return response.body ? withBody(response, unbreakable(response.body, { onBytes, onBreak })) : response
    },
    until: (work) => Promise.race([over.promise, work]),
    tell: (told) => (piece) => {
      if (!inner.signal.aborted) told?.(piece)
    },
    hear: (piece) => void (came.heard += piece),
    fault(error) {
      const found = faultOf(error, scene)
      const why = found.reason === 'garbled' && broken !== undefined ? faultOf(broken, scene) : found
      return Object.assign(why, came.isTaken && { heard: came.heard })
    },
    stop,
  }
}

const NOTHING = new Uint8Array()

/** The outcome of a request: whether the provider took it, and all pieces of the reply. */
interface Came {
  isTaken: boolean
  heard: string
}

/** A request that is aborted before anything came may have been taken, and be charged for. */
async function noteTaken(came: Came, fetching: Promise<Response>, signal: AbortSignal): Promise<Response> {
  came.isTaken = true
  try {
    const response = await fetching
    came.isTaken = response.ok
    return response
  } catch (error) {
    came.isTaken = signal.aborted
    throw error
  }
}

/** Following it would carry the prompt, and every header but `authorization`, to another host. */
function redirected(scene: Scene, status: number, target: string): ModelError {
  const url = URL.canParse(target, scene.url) ? new URL(target, scene.url).href : target
  return fault('redirected', scene, { code: status.toString(), target: url })
}

/**
 * A stream that ends where the other one breaks. The providers' packages pass a body through several streams, and an
 * error in it that nobody reads any more, as after an abort, would stop the process as an unhandled rejection.
 */
function unbreakable(
  body: ReadableStream<Uint8Array>,
  { onBytes, onBreak }: { onBytes: (received?: Uint8Array) => void; onBreak: (error: unknown) => void },
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let isWanted = true
  const over = (error: unknown): { done: true; value?: never } => {
    onBreak(error)
    return { done: true }
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch(over)
      onBytes(value)
      if (!isWanted) return
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => {
      isWanted = false
      return reader.cancel(reason).catch(onBreak)
    },
  })
}

function withBody({ status, statusText, headers }: Response, body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { status, statusText, headers })
}
