/** How far a reader may fall behind, and how long it may take nothing at all. */
export interface Bounds {
  readonly behindBytesMax: number
  readonly patienceMs: number
}

interface ReaderParts extends Bounds {
  /** The reader has all events up to here. */
  readonly position: number
  /** Ends the connection, whatever is still on its way. */
  readonly drop: () => void
  /** Called once, when the stream ends or the client goes away. */
  readonly left: () => void
}

/**
 * One open stream. The server takes from `body` only what the socket takes, so what waits there is what the client has
 * not read. A reader that is too far behind is cut off, and told from where to resume.
 */
export class StreamReader {
  readonly body: ReadableStream<Uint8Array>
  position: number
  readonly #parts: ReaderParts
  readonly #gone = new AbortController()
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #whenRoom: (() => void) | undefined

  constructor(parts: ReaderParts) {
    this.#parts = parts
    this.position = parts.position
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#whenRoom?.(),
        cancel: () => this.#leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: parts.behindBytesMax }),
    )
  }

  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** The connection ends with the stream: one that is ended for being slow must not have another request on it. */
  response(): Response {
    const type = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }
    return new Response(this.body, { headers: { ...type, connection: 'close' } })
  }

  send(bytes: Uint8Array, position = this.position): void {
    if (this.gone.aborted) return
    if (this.#isFull) return this.cut()
    this.#controller?.enqueue(bytes)
    this.position = position
  }

  /** Waits until the client has read some of what it was sent; false if it takes nothing for too long. */
  async hasRoom(): Promise<boolean> {
    if (!this.#isFull || this.gone.aborted) return true
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), this.#parts.patienceMs)
      this.#whenRoom = () => {
        clearTimeout(timer)
        this.#whenRoom = undefined
        resolve(true)
      }
    })
  }

  /** Ends the stream with the position to resume from. */
  cut(): void {
    if (this.gone.aborted) return
    this.#controller?.enqueue(Buffer.from(`event: cut\ndata: {"position":${this.position}}\n\n`))
    this.end()
    // What waits for a client that never reads again would be kept for ever.
    setTimeout(this.#parts.drop, this.#parts.patienceMs).unref()
  }

  end(): void {
    if (this.gone.aborted) return
    this.#controller?.close()
    this.#leave()
  }

  /** An event that goes beyond the mark is let through: one event alone may be larger than the mark. */
  get #isFull(): boolean {
    return (this.#controller?.desiredSize ?? 0) <= 0
  }

  #leave(): void {
    this.#gone.abort()
    this.#whenRoom?.()
    this.#parts.left()
  }
}
