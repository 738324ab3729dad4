import type { Writable } from 'node:stream'

/** Whoever read our output has gone (`| head`): there is nothing more to do, and nothing went wrong. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone'
}

const CHUNK = 64 * 1024

/** Text for a stream, in large pieces, no faster than it is taken. */
export class Output {
  readonly #stream: Writable
  #waiting = ''
  #failure: Error | undefined

  constructor(stream: Writable) {
    this.#stream = stream
    // Without this an EPIPE that comes after a write was handed over would end the process with a stack trace.
    stream.on('error', (error) => {
      this.#failure ??= error
    })
  }

  /** Adds a line; the promise is there only when the stream has to be waited for. */
  line(text = ''): Promise<void> | void {
    this.#waiting += `${text}\n`
    if (this.#waiting.length >= CHUNK) return this.flush()
  }

  /** As `line`, for text that ends its own lines. */
  text(text: string): Promise<void> | void {
    this.#waiting += text
    if (this.#waiting.length >= CHUNK) return this.flush()
  }

  async flush(): Promise<void> {
    const text = this.#waiting
    this.#waiting = ''
    if (this.#failure !== undefined) throw gone(this.#failure)
    if (text === '') return
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(text, (error) => (error ? reject(gone(error)) : resolve()))
    })
  }
}

function gone(error: Error): Error {
  const { code } = error as NodeJS.ErrnoException
  const isGone = code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' || code === 'ECONNRESET'
  return isGone ? new ReaderGone('nobody reads the output any more', { cause: error }) : error
}
