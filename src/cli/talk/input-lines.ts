import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { parseInput } from '../../command/read/parse.ts'
import { unreadable } from './piped.ts'

/** A line must not wait long for a next one that may never come. */
const PATIENCE_MS = 100
const HELD_MAX = 1_000

/**
 * The lines of a stream, each as soon as it is there. A task between `/mark M` and `/fork M` comes with the two of them
 * as one text, as it would be pasted into a chat: alone, its lines would be answered here and not given to the child.
 */
export class Inputs {
  readonly #lines: Lines
  /** Lines that were held for a fork that did not come. */
  #held: string[] = []
  /** The marks that were given last, and how many texts were given since. */
  #since: { readonly marks: readonly string[]; readonly texts: number } = NO_MARK

  constructor(stream: Readable, signal: AbortSignal) {
    this.#lines = new Lines(stream, signal)
  }

  /** Undefined at the end. */
  async next(): Promise<string | undefined> {
    if (this.#held.length === 0) this.#held = await this.#gathered()
    const input = this.#held.shift()
    if (input !== undefined) this.#remember(input)
    return input
  }

  /**
   * The next line, once it is there, if it is meant for what is being done about the last one: `/stop`, or the `/fork M`
   * that gives the only text after `/mark M` to a child. Undefined: it is not, or `over` came first.
   */
  async urgent(over: AbortSignal): Promise<string | undefined> {
    for (;;) {
      const line = this.#held[0] ?? (await this.#lines.peek(over))
      if (typeof line !== 'string' || !(isBlank(line) || this.#isUrgent(line))) return undefined
      const input = this.#held.shift() ?? (await this.#lines.next())
      if (isBlank(line)) continue
      this.#since = NO_MARK
      return input
    }
  }

  /** How many lines are left unread; of a stream that stays open, those that have arrived. */
  async countLeft(): Promise<number> {
    const late = AbortSignal.timeout(PATIENCE_MS)
    let count = this.#held.filter((line) => !isBlank(line)).length
    while (!late.aborted && typeof (await this.#lines.peek(late)) === 'string')
      if (!isBlank((await this.#lines.next()) ?? '')) count++
    return count
  }

  async #gathered(): Promise<string[]> {
    const first = await this.#lines.next()
    if (first === undefined) return []
    const begin = actIn(first)
    const held = [first]
    if (begin.kind !== 'mark') return held
    while (held.length < HELD_MAX) {
      const line = await this.#lines.peek(AbortSignal.timeout(PATIENCE_MS))
      if (typeof line !== 'string') return held
      const act = actIn(line)
      const isFork = act.kind === 'fork' && act.mark === begin.mark && held.length > 1
      if (act.kind !== 'text' && !isFork) return held
      held.push((await this.#lines.next()) ?? '')
      if (isFork) return [held.join('\n')]
    }
    return held
  }

  #remember(input: string): void {
    if (isBlank(input)) return
    const act = actIn(input)
    const { marks, texts } = this.#since
    if (act.kind === 'text') this.#since = { marks, texts: texts + 1 }
    else if (act.kind !== 'mark' || input.includes('\n')) this.#since = NO_MARK
    else this.#since = { marks: [...(texts === 0 ? marks : []), act.mark], texts: 0 }
  }

  #isUrgent(line: string): boolean {
    const act = actIn(line)
    if (act.kind === 'stop') return true
    const { marks, texts } = this.#since
    return act.kind === 'fork' && act.mark !== null && texts === 1 && marks.includes(act.mark)
  }
}

const NO_MARK = { marks: [], texts: 0 }

function isBlank(line: string): boolean {
  return line.trim() === ''
}

type Act =
  | { readonly kind: 'mark'; readonly mark: string }
  | { readonly kind: 'fork'; readonly mark: string | null }
  | { readonly kind: 'text' | 'stop' | 'other' }

function actIn(line: string): Act {
  const [part] = parseInput(line)
  if (part === undefined || part.kind === 'message') return { kind: 'text' }
  if (part.kind !== 'command') return { kind: 'other' }
  const { command } = part
  if (command.name === 'mark' && command.mark !== null) return { kind: 'mark', mark: command.mark }
  if (command.name === 'fork') return { kind: 'fork', mark: command.mark }
  return { kind: command.name === 'stop' ? 'stop' : 'other' }
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
    if (done === true && this.#failure !== undefined) throw unreadable(this.#failure)
    return done === true ? undefined : value
  }

  /** The line that `next` will return, once it is there. */
  async peek(over: AbortSignal): Promise<string | undefined | typeof LATER> {
    this.#next ??= this.#lines.next()
    const late = Promise.withResolvers<typeof LATER>()
    const isLate = (): void => late.resolve(LATER)
    if (over.aborted) isLate()
    over.addEventListener('abort', isLate, { once: true })
    const first = await Promise.race([this.#next, late.promise])
    over.removeEventListener('abort', isLate)
    if (first === LATER) return LATER
    return first.done === true ? undefined : first.value
  }
}
