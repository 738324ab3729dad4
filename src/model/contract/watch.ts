import { fault, faultOf, type Scene } from './fault.ts'
import type { ModelError } from './model.ts'

/** Watches over one call: ends it when its caller aborts or when no byte comes for `idleMs`. */
export interface Watch {
  /** Like the global fetch; every byte it brings restarts the timer. */
  readonly fetch: typeof globalThis.fetch
  /** The result of `work`, unless the watch ends first: then its error, at once, whatever `work` still does. */
  until<Result>(work: Promise<Result>): Promise<Result>
  /** Passes pieces on to `told` until the call is over. */
  tell(told: ((piece: string) => void) | undefined): (piece: string) => void
  /** Why the call failed. A reply that cannot be read because its connection broke is the network's fault. */
  fault(error: unknown): ModelError
  stop(): void
}

export function startWatch(
  scene: Scene,
  { signal, idleMs }: { readonly signal: AbortSignal; readonly idleMs: number },
): Watch {
  const inner = new AbortController()
  const over = Promise.withResolvers<never>()
  // Without this, an abort after the call's end would be an unhandled rejection.
  over.promise.catch(() => undefined)
  let isOver = false
  let broken: unknown

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

  const onByte = (): void => {
    // Refreshing would restart a timer that was cleared.
    if (!isOver) timer.refresh()
  }
  const onBreak = (error: unknown): void => {
    broken = error
  }
  return {
    fetch: async (input, init) => {
      const response = await globalThis.fetch(input, { ...init, signal: inner.signal })
      onByte()
      return response.body ? withBody(response, unbreakable(response.body, { onByte, onBreak })) : response
    },
    until: (work) => Promise.race([over.promise, work]),
    tell: (told) => (piece) => {
      if (!inner.signal.aborted) told?.(piece)
    },
    fault(error) {
      const found = faultOf(error, scene)
      return found.reason === 'garbled' && broken !== undefined ? faultOf(broken, scene) : found
    },
    stop,
  }
}

/**
 * A stream that ends where the other one breaks. The providers' packages pass a body through several streams, and an
 * error in it that nobody reads any more, as after an abort, would stop the process as an unhandled rejection.
 */
function unbreakable(
  body: ReadableStream<Uint8Array>,
  { onByte, onBreak }: { onByte: () => void; onBreak: (error: unknown) => void },
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        onByte()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        onBreak(error)
        controller.close()
      }
    },
    cancel: (reason) => reader.cancel(reason).catch(onBreak),
  })
}

function withBody({ status, statusText, headers }: Response, body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { status, statusText, headers })
}
