/** What is known of requests that went out over HTTP. */
export interface Watch {
  /** Ids of requests that have no answer yet. */
  readonly awaited: Set<number>
  /** Told when the answer to a request can come no more. */
  readonly lost: (id: number) => void
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** The largest message that is taken over a pipe, too. */
const BYTES_MAX = 10 * 1_024 * 1_024
/** What was read before the end is looked at first. */
const LOOK_MS = 50

/**
 * A fetch that notices when a server goes away in the middle of an answer: the package would wait until the call's time
 * is over. It refuses the stream that servers could speak on unasked: nothing is expected there, and it would be held
 * open for months.
 */
export function watched(watch: Watch): Fetch {
  return async (url, init) => {
    const headers = new Headers(init?.headers)
    if (init?.method === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 })
    const id = requestId(init)
    if (id !== undefined) watch.awaited.add(id)
    const response = await fetch(url, init)
    if (response.body === null) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const onEnd = (canResume: boolean): void => {
      if (!isStream || id === undefined || canResume) return
      setTimeout(() => {
        if (watch.awaited.delete(id)) watch.lost(id)
      }, LOOK_MS)
    }
    const { status, statusText, headers: answered } = response
    return new Response(bounded(response.body, onEnd), { status, statusText, headers: answered })
  }
}

function requestId(init: RequestInit | undefined): number | undefined {
  if (init?.method !== 'POST' || typeof init.body !== 'string') return undefined
  const message = JSON.parse(init.body) as { readonly id?: unknown; readonly method?: unknown }
  return typeof message.id === 'number' && typeof message.method === 'string' ? message.id : undefined
}

/** The body, as far as anybody takes it; `onEnd` learns whether the server can go on where it stopped. */
function bounded(
  body: ReadableStream<Uint8Array>,
  onEnd: (canResume: boolean) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let [bytes, canResume, line] = [0, false, '\n']
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await reader.read()
        if (done) {
          onEnd(canResume)
          return controller.close()
        }
        bytes += value.length
        if (bytes > BYTES_MAX) throw new Error(`it sent more than ${BYTES_MAX / 1_024 / 1_024} MB at once`)
        const text = line + decoder.decode(value, { stream: true })
        canResume ||= /[\r\n]id:/.test(text)
        line = text.slice(-3)
        controller.enqueue(value)
      } catch (error) {
        onEnd(canResume)
        controller.error(error)
        void reader.cancel().catch(() => undefined)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
