import type { Served } from './route.ts'

/** Resolves once there is room for more; rejects when the client is gone. */
export type Send = (event: string, data: unknown, id?: number) => Promise<void>

/** What waits for a slow client: after that, whoever sends has to wait. */
const BUFFER_BYTES = 64 * 1_024

/** Answers with server-sent events, one line of JSON each, until the work is done or the client is gone. */
export function eventStream(
  { warn }: Pick<Served, 'warn'>,
  work: (send: Send, gone: AbortSignal) => Promise<void>,
): Response {
  const leaving = new AbortController()
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(
    undefined,
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
  )
  const writer = writable.getWriter()
  const encoder = new TextEncoder()
  const send: Send = async (event, data, id) => {
    await writer.ready
    const head = id === undefined ? '' : `id: ${id}\n`
    // The loss of the client shows at the next one.
    writer
      .write(encoder.encode(`${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
      .catch(() => undefined)
  }
  const working = async (): Promise<void> => {
    try {
      await work(send, leaving.signal)
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
