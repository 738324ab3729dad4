/** A stand-in model's answer, independent of providers. */
export interface Answer {
  readonly blocks: readonly Block[]
  readonly finish?: 'stop' | 'calls' | 'length' | 'refused'
  readonly usage?: AnswerUsage
}

export type Block =
  | { readonly text: string }
  | { readonly thinking: string; readonly signature: string }
  /** `args` is text: a model may write invalid JSON. */
  | { readonly call: string; readonly id: string; readonly args: string; readonly signature?: string }

export interface AnswerUsage {
  readonly in: number
  readonly out: number
  readonly cached: number
  readonly written: number
}

export type Trouble = 'overflow' | 'overloaded' | 'unauthorised' | 'unknown-model' | 'rate-limited' | 'other'

/** One provider's wire format. */
export interface Wire {
  readonly contentType: string
  fits(path: string): boolean
  /** The pieces of a stream, in order; the last ones mark its end. */
  stream(answer: Answer): readonly string[]
  /** The body of a refusal. */
  refusal(trouble: Trouble, words: string): string
  /** An error within a stream that began well. */
  frame(trouble: Trouble, words: string): string
}

export const defaultUsage: AnswerUsage = { in: 100, out: 20, cached: 0, written: 0 }

/** Text in a few pieces, as models send it; in a thousand at most. */
export function pieces(text: string): string[] {
  const length = Math.max(7, Math.ceil(text.length / 1_000))
  return text.match(new RegExp(`.{1,${length}}`, 'gsu')) ?? []
}

export function finishOf({ finish, blocks }: Answer): NonNullable<Answer['finish']> {
  return finish ?? (blocks.some((block) => 'call' in block) ? 'calls' : 'stop')
}

export function sse(data: unknown, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}
