import type { Random } from '../../src/base/random.ts'
import type { Provider } from '../../src/model/models.ts'
import type { Answer, Block, Wire } from '../stand-ins/model-answer.ts'
import { anthropicWire } from '../stand-ins/wire-anthropic.ts'
import { chatWire, openrouterWire } from '../stand-ins/wire-chat.ts'
import { googleWire } from '../stand-ins/wire-google.ts'
import { ollamaWire } from '../stand-ins/wire-ollama.ts'
import { responsesWire } from '../stand-ins/wire-responses.ts'
import { Chance } from './agent/chance.ts'

/** What a server sends to one request, and how it ends. */
export interface OddReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly pieces: readonly Buffer[]
  /** `drips`: the last piece again and again. */
  readonly end: 'ends' | 'cut' | 'silent' | 'drips'
}

export const wires: Readonly<Record<Provider, Wire>> = {
  anthropic: anthropicWire,
  openai: responsesWire,
  google: googleWire,
  openrouter: openrouterWire,
  'openai-compatible': chatWire,
  ollama: ollamaWire,
}

/** A reply that began as a good one of this provider, with odd things done to it. */
export function oddReply(provider: Provider, random: Random): OddReply {
  const odd = new Odd(random)
  const wire = wires[provider]
  const isRefusal = odd.oneIn(5)
  const lines = isRefusal
    ? [wire.refusal(odd.pick(TROUBLES), String(odd.value()))]
    : [...wire.stream(odd.answer(provider)), ...(odd.oneIn(20) ? [wire.frame(odd.pick(TROUBLES), 'no')] : [])]
  const changed = odd.oneIn(3) ? lines : odd.shuffled(odd.changed(lines))
  const body = odd.bytes(changed.join(''))
  return {
    status: isRefusal || odd.oneIn(20) ? odd.pick(STATUSES) : 200,
    headers: odd.headers(wire.contentType),
    pieces: odd.cut(body),
    end: odd.weighted([
      [94, 'ends'],
      [4, 'cut'],
      [1, 'silent'],
      [1, 'drips'],
    ]),
  }
}

const TROUBLES = ['overflow', 'overloaded', 'unauthorised', 'unknown-model', 'rate-limited', 'other'] as const
const STATUSES = [
  201, 204, 206, 301, 304, 307, 400, 401, 402, 403, 404, 408, 413, 418, 429, 500, 503, 529, 599, 700,
]
const KEYS = [
  '__proto__',
  'type',
  'id',
  'index',
  'content',
  'usage',
  'error',
  'choices',
  'delta',
  'tool_calls',
  '',
]
const NUMBERS = [0, -1, 0.5, 1e20, 1e308, -0, 2 ** 53, 2 ** 31, 8.64e15]
const TEXTS = [
  '',
  ' ',
  '\ud800',
  '\u0000',
  '</data>',
  '[DONE]',
  '{"a":',
  '<think>',
  '\u202e',
  'NaN',
  'constructor',
]

class Odd extends Chance {
  value(depth = 0): unknown {
    const kind = this.below(depth > 3 ? 4 : 8)
    if (kind === 0) return this.pick(NUMBERS)
    if (kind === 1) return this.text()
    if (kind === 2) return this.pick([null, true, false])
    if (kind === 3) return this.pick(['stop', 'tool_calls', 'length', 'message_stop', 'x'])
    if (kind === 4) return Array.from({ length: this.below(4) }, () => this.value(depth + 1))
    if (kind === 5) return JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`) as unknown
    return Object.fromEntries(
      Array.from({ length: this.below(4) }, () => [this.pick(KEYS), this.value(depth + 1)] as const),
    )
  }

  text(): string {
    return this.oneIn(10) ? this.pick(['x', '\u0001', '\n', '"']).repeat(this.below(1_500)) : this.pick(TEXTS)
  }

  answer(provider: Provider): Answer {
    const count = (): number => (this.oneIn(2) ? this.below(1_000) : this.pick(NUMBERS))
    return {
      blocks: Array.from({ length: 1 + this.below(3) }, () => this.#block(provider)),
      finish: this.pick(['stop', 'calls', 'length', 'refused'] as const),
      usage: { in: count(), out: count(), cached: count(), written: count() },
    }
  }

  #block(provider: Provider): Block {
    const kind = this.below(4)
    if (kind < 2) return { text: this.oneIn(2) ? 'Hello there.' : this.text() }
    if (kind === 2) return { thinking: this.text(), signature: this.text() }
    // These send arguments as JSON and not as a text of it.
    const isJson = provider === 'google' || provider === 'ollama' || this.oneIn(2)
    const args = isJson ? JSON.stringify({ command: this.value() }) : this.text()
    return { call: this.oneIn(2) ? 'slash' : this.text(), id: this.text(), args }
  }

  /** One or two of the pieces are changed. */
  changed(lines: readonly string[]): string[] {
    const places = new Set([this.below(lines.length), this.oneIn(3) ? this.below(lines.length) : -1])
    return lines.map((line, index) => (places.has(index) ? this.line(line) : line))
  }

  /** A piece of a stream with something in its JSON replaced, or the whole piece. */
  line(line: string): string {
    const at = line.indexOf('{')
    const end = line.lastIndexOf('}')
    if (at < 0 || this.oneIn(10))
      return this.pick(['', ': comment\n\n', 'data:\n\n', 'data: [DONE]\n\n', 'x\n', `${line}${line}`])
    try {
      const changed = this.#changed(JSON.parse(line.slice(at, end + 1)))
      return `${line.slice(0, at)}${JSON.stringify(changed) ?? ''}${line.slice(end + 1)}`
    } catch {
      return line.slice(0, this.below(line.length + 1))
    }
  }

  #changed(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || this.oneIn(7)) return this.value()
    if (Array.isArray(value))
      return value.length === 0
        ? [this.value()]
        : value.with(this.below(value.length), this.#changed(value[0]))
    const keys = Object.keys(value)
    const key = keys.length === 0 || this.oneIn(10) ? this.pick(KEYS) : this.pick(keys)
    const { [key]: inner, ...rest } = value as Record<string, unknown>
    return this.oneIn(7) ? rest : { ...rest, [key]: this.#changed(inner) }
  }

  shuffled(lines: string[]): string[] {
    if (this.oneIn(20)) lines.splice(this.below(lines.length + 1))
    if (this.oneIn(10))
      lines.splice(this.below(lines.length + 1), 0, ...lines.slice(this.below(lines.length + 1)))
    if (this.oneIn(20)) lines.reverse()
    return lines
  }

  bytes(text: string): Buffer {
    const bytes = Buffer.from(text)
    if (this.oneIn(20)) return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])
    if (bytes.length > 0 && this.oneIn(10)) bytes[this.below(bytes.length)] = this.below(256)
    return bytes
  }

  headers(contentType: string): Record<string, string> {
    const after = ['99999999999999999999', '-1', '0.5', '1e9', 'soon', 'Fri, 31 Dec 9999 23:59:59 GMT', '']
    return {
      'content-type': !this.oneIn(10) ? contentType : this.pick(['text/html', 'application/json', '', 'x']),
      ...(this.oneIn(5) && { 'retry-after': this.pick(after) }),
      ...(this.oneIn(20) && { 'retry-after-ms': this.pick(after) }),
      ...(this.oneIn(10) && {
        location: this.pick(['http://127.0.0.1:9/', '//', 'http://', '/x', 'data:,x']),
      }),
      ...(this.oneIn(30) && { 'content-encoding': this.pick(['gzip', 'br', 'deflate', 'x']) }),
    }
  }

  cut(body: Buffer): Buffer[] {
    if (body.length === 0) return []
    const places = [0, ...Array.from({ length: this.below(4) }, () => this.below(body.length)), body.length]
    const sorted = places.toSorted((a, b) => a - b)
    return sorted.slice(1).map((place, index) => body.subarray(sorted[index], place))
  }
}
