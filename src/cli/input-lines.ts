import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseInput } from '../command/parse.ts'
import { CommandError } from './command.ts'

/** Lines of others must not wait long for a line that may never come. */
const PATIENCE_MS = 100
const HELD_MAX = 1_000

/**
 * The lines of a stream, each as soon as it is there. A task between `/mark M` and `/fork M` comes with the two of them
 * as one text, as it would be pasted into a chat: alone, its lines would be answered here and not given to the child.
 */
export async function* inputsOf(stream: Readable, signal: AbortSignal): AsyncGenerator<string> {
  const lines = new Lines(stream, signal)
  let held: string[] = []
  let mark: string | undefined
  for (;;) {
    const line = held.length === 0 ? await lines.next() : await lines.nextWithin(PATIENCE_MS)
    const act = line === undefined || line === LATER ? undefined : actIn(line)
    if (act?.kind === 'text' && mark !== undefined && held.length < HELD_MAX) {
      held.push(String(line))
      continue
    }
    if (act?.kind === 'fork' && act.mark === mark && held.length > 1) yield [...held, line].join('\n')
    else {
      yield* held
      if (line === undefined) return
      if (typeof line === 'string' && act?.kind !== 'mark') yield line
    }
    mark = act?.kind === 'mark' ? act.mark : undefined
    held = mark === undefined ? [] : [String(line)]
  }
}

type Act =
  | { readonly kind: 'mark'; readonly mark: string }
  | { readonly kind: 'fork'; readonly mark: string | null }
  | { readonly kind: 'text' | 'other' }

function actIn(line: string): Act {
  const [part] = parseInput(line)
  if (part === undefined || part.kind === 'message') return { kind: 'text' }
  if (part.kind !== 'command') return { kind: 'other' }
  const { command } = part
  if (command.name === 'mark' && command.mark !== null) return { kind: 'mark', mark: command.mark }
  return command.name === 'fork' ? { kind: 'fork', mark: command.mark } : { kind: 'other' }
}

/** No line came in time. */
const LATER = Symbol('later')

class Lines {
  readonly #lines: AsyncIterator<string>
  #next: Promise<IteratorResult<string>> | undefined
  #failure: Error | undefined

  constructor(stream: Readable, signal: AbortSignal) {
    stream.on('error', (error) => {
      this.#failure = error
    })
    const reader = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })
    signal.addEventListener('abort', () => reader.close(), { once: true })
    this.#lines = reader[Symbol.asyncIterator]()
  }

  async next(): Promise<string | undefined> {
    this.#next ??= this.#lines.next()
    const { value, done } = await this.#next
    this.#next = undefined
    if (done === true && this.#failure !== undefined)
      throw new CommandError(`The standard input cannot be read: ${this.#failure.message}`)
    return done === true ? undefined : value
  }

  async nextWithin(ms: number): Promise<string | undefined | typeof LATER> {
    this.#next ??= this.#lines.next()
    const over = new AbortController()
    const isLate = sleep(ms, true, { signal: over.signal }).catch(() => true)
    const first = await Promise.race([this.#next, isLate])
    over.abort()
    return first === true ? LATER : this.next()
  }
}
