import type { Writable } from 'node:stream'
import { wantsColour } from '../../base/environment.ts'
import { textWidth } from '../../base/width.ts'
import { styleFor, type Style } from '../../base/style.ts'
import type { Environment } from '../../config/table/source.ts'
import { neutral } from '../../channel/terminal/text/neutral.ts'

/** The reader of our output has closed it (`| head`). That is not a failure. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone'
}

/** The output cannot be written, as on a full disk. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
}

type Sink = Writable & { readonly isTTY?: boolean; readonly columns?: number }

const CHUNK = 64 * 1024
const TEXT_COLUMNS_MIN = 40

/** Buffers text for a stream, and waits if the stream is slow. */
export class Output {
  readonly stream: Sink
  readonly style: Style
  #waiting = ''
  #failure: Error | undefined

  constructor(stream: Sink, environment: Environment = {}) {
    this.stream = stream
    this.style = styleFor(wantsColour(stream, environment) ? 'colour' : 'plain')
    // Without this an EPIPE that comes after a write was handed over would end the process with a stack trace.
    stream.on('error', (error) => {
      this.#failure ??= error
    })
  }

  /** Removes control characters of other people's text, if this is a terminal. Programs get it unchanged. */
  safe(text: string): string {
    return this.isTerminal ? neutral(text) : text
  }

  get isTerminal(): boolean {
    return this.stream.isTTY === true
  }

  /** The width of the terminal; undefined where there is none. */
  get columns(): number | undefined {
    return this.stream.columns
  }

  /** The width at which text wraps, also where there is no terminal. */
  get textColumns(): number {
    return Math.max(TEXT_COLUMNS_MIN, textWidth(this.columns ?? Infinity))
  }

  /** Adds a line. Returns a promise only if the stream has to be waited for. */
  line(text = ''): Promise<void> | void {
    this.#waiting += `${text}\n`
    if (this.#waiting.length >= CHUNK) return this.flush()
  }

  /** As `line`, for text that ends its own lines. */
  text(text: string): Promise<void> | void {
    this.#waiting += text
    if (this.#waiting.length >= CHUNK) return this.flush()
  }

  /** A safe line, written at once. */
  async now(text: string): Promise<void> {
    await this.line(this.safe(text))
    await this.flush()
  }

  async flush(): Promise<void> {
    const text = this.#waiting
    this.#waiting = ''
    if (this.#failure !== undefined) throw explained(this.#failure)
    if (text === '') return
    await new Promise<void>((resolve, reject) => {
      this.stream.write(text, (error) => (error ? reject(explained(error)) : resolve()))
    })
  }
}

function explained(error: Error): Error {
  const { code } = error as NodeJS.ErrnoException
  const isGone = code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' || code === 'ECONNRESET'
  if (isGone) return new ReaderGone('nobody reads the output any more', { cause: error })
  const what = `Could not write the output, so it is incomplete: ${error.message}`
  return new OutputError(`${what}. Free up space, or write it elsewhere`, { cause: error })
}
