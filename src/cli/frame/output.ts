import type { Writable } from 'node:stream'
import { stopwatchMs } from '../../base/clock.ts'
import { wantsColour } from '../../base/environment.ts'
import { shorten, textWidth } from '../../base/width.ts'
import type { Style } from '../../base/style.ts'
import type { Environment } from '../../config/table/source.ts'
import {
  harmlessJson,
  neutral,
  ownStyle,
  spelledOut,
  type OwnStyle,
} from '../../channel/terminal/text/neutral.ts'

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
const PROGRESS_MS = 100
/** Empties the line of the cursor. */
const CLEAR = '\r\u001B[K'

/**
 * Everything that a command prints. Text may come from anybody, so what a terminal would obey is made visible here, where
 * it is written, and only `style` can colour it. Buffers text, and waits if the stream is slow.
 */
export class Output {
  readonly stream: Sink
  readonly #own: OwnStyle
  /** Text goes out as it is. */
  isRaw = false
  #waiting = ''
  #progressAt: number | undefined
  #bottom = ''
  #failure: Error | undefined

  constructor(stream: Sink, environment: Environment = {}) {
    this.stream = stream
    this.#own = ownStyle(wantsColour(stream, environment) ? 'colour' : 'plain')
    // Without this an EPIPE that comes after a write was handed over would end the process with a stack trace.
    stream.on('error', (error) => {
      this.#failure ??= error
    })
  }

  get style(): Style {
    return this.#own.style
  }

  /** For code that writes to the stream on its own, such as a question. */
  shown(text: string): string {
    return this.#own.shown(text, this.isRaw ? String : this.isTerminal ? neutral : spelledOut)
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
    return this.text(`${text}\n`)
  }

  /** As `line`, for text that ends its own lines. */
  text(text: string): Promise<void> | void {
    this.#waiting += this.shown(text)
    if (this.#waiting.length >= CHUNK) return this.flush()
  }

  /** A line, written at once. */
  async now(text: string): Promise<void> {
    await this.line(text)
    await this.flush()
  }

  /** As `bottom`, a few times a second. */
  progress(text: string): void {
    const now = stopwatchMs()
    this.#progressAt ??= now + PROGRESS_MS
    if (now < this.#progressAt) return
    this.#progressAt = now + PROGRESS_MS
    this.bottom(text)
  }

  /** A line that stays below all others; on a terminal only. Empty: none. */
  bottom(text: string): void {
    if (!this.isTerminal) return
    const shown = this.shown(shorten(text, (this.columns ?? Infinity) - 1))
    if (shown !== this.#bottom) this.stream.write(`${CLEAR}${shown}`)
    this.#bottom = shown
  }

  async flush(): Promise<void> {
    const text = this.#waiting && this.#bottom ? `${CLEAR}${this.#waiting}${this.#bottom}` : this.#waiting
    this.#waiting = ''
    if (this.#failure !== undefined) throw explained(this.#failure)
    if (text === '') return
    await new Promise<void>((resolve, reject) => {
      this.stream.write(text, (error) => (error ? reject(explained(error)) : resolve()))
    })
  }
}

/** JSON that is written as it is. */
export function jsonText(value: unknown, indent?: number): string {
  return harmlessJson(JSON.stringify(value, undefined, indent))
}

function explained(error: Error): Error {
  const { code } = error as NodeJS.ErrnoException
  const isGone = code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' || code === 'ECONNRESET'
  if (isGone) return new ReaderGone('nobody reads the output any more', { cause: error })
  const what = `Could not write the output, so it is incomplete: ${error.message}`
  return new OutputError(`${what}. Free up space, or write it elsewhere`, { cause: error })
}
