import { ModelError } from './model.ts'

/** Watches over one call: ends it when its caller aborts or when no byte comes for `idleMs`. */
export interface Watch {
  /** Aborted when the call is over for either reason. */
  readonly signal: AbortSignal
  /** Like the global one; every byte that it brings proves that the provider lives. */
  readonly fetch: typeof globalThis.fetch
  /** The result of `work`, unless the watch ends first: then its error, at once, whatever `work` still does. */
  until<Result>(work: Promise<Result>): Promise<Result>
  /** Hands on to `told`, as long as the call is not over. */
  tell(told: ((piece: string) => void) | undefined): (piece: string) => void
  stop(): void
}

export function startWatch(options: {
  readonly model: string
  readonly signal: AbortSignal
  readonly idleMs: number
}): Watch {
  const { model, idleMs } = options
  const inner = new AbortController()
  const over = Promise.withResolvers<never>()
  // Without a listener of its own, an abort after the call's end would be an unhandled rejection.
  over.promise.catch(() => undefined)
  let isOver = false

  const end = (error: ModelError): void => {
    stop()
    over.reject(error)
    inner.abort(error)
  }
  const onAbort = (): void => end(new ModelError('aborted', `${model}: the call was stopped`))
  const timer = setTimeout(
    () => end(new ModelError('timeout', `${model}: no sign of life for ${Math.round(idleMs / 1000)} s`)),
    idleMs,
  )
  const stop = (): void => {
    isOver = true
    clearTimeout(timer)
    options.signal.removeEventListener('abort', onAbort)
  }
  if (options.signal.aborted) onAbort()
  else options.signal.addEventListener('abort', onAbort, { once: true })

  const alive = (): void => {
    // A timer that was cleared would start again.
    if (!isOver) timer.refresh()
  }
  return {
    signal: inner.signal,
    fetch: async (input, init) => watched(await globalThis.fetch(input, init), alive),
    until: (work) => Promise.race([over.promise, work]),
    tell: (told) => (piece) => {
      if (!inner.signal.aborted) told?.(piece)
    },
    stop,
  }
}

function watched(response: Response, alive: () => void): Response {
  alive()
  if (response.body === null) return response
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        alive()
        controller.enqueue(chunk)
      },
    }),
  )
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  })
}
