/** A model provider in this process: it answers what the story says, counts tokens, and has a prompt cache. */
import { MEMORY_HEADING } from '../../src/recall/memory-text.ts'
import { type Answer, type Block } from '../../test/stand-ins/model-answer.ts'
import { anthropicWire } from '../../test/stand-ins/wire-anthropic.ts'
import { realTime } from './world.ts'

/** What the model says next: a text, or calls of tools. */
export type Step = string | Call | readonly Call[]

export interface Call {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** Said before the call. */
  readonly say?: string
}

/** The steps that answer a message, in order. */
export type Steps = readonly Step[] | ((text: string) => readonly Step[])

interface Content {
  readonly type: string
  readonly text?: string
}

interface Request {
  readonly model: string
  readonly system: string | readonly Content[]
  readonly tools?: readonly unknown[]
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Content[] }[]
}

const script = new Map<string, Steps>()
const asked: { readonly model: string; readonly text: string; readonly at: number }[] = []
const CACHE_MS = 3_600_000
const CACHED_MAX = 12

let pieceMs = 0
let overloaded = 0
let calls = 0

/** Every message that contains `key` is answered with these steps. */
export function answers(key: string, ...steps: Step[]): void {
  script.set(key, steps)
}

export function answersBy(key: string, steps: (text: string) => readonly Step[]): void {
  script.set(key, steps)
}

/** From now on an answer takes its time, as a real one does. */
export function speakSlowly(ms: number): void {
  pieceMs = ms
}

/** The next calls fail, as they do when too many people ask at once. */
export function overload(times: number): void {
  overloaded = times
}

export function openProvider(otherwise: (text: string) => readonly Step[]): void {
  globalThis.fetch = async (_input, init) => {
    const request = JSON.parse(init?.body as string) as Request
    if (overloaded-- > 0) return new Response(anthropicWire.refusal('overloaded', ''), { status: 529 })
    const answer = answerTo(request, otherwise)
    const signal = init?.signal ?? undefined
    return new Response(slowly(anthropicWire.stream(answer), signal), {
      headers: { 'content-type': anthropicWire.contentType },
    })
  }
}

function answerTo(request: Request, otherwise: (text: string) => readonly Step[]): Answer {
  const step = stepFor(request, otherwise)
  const blocks = blocksOf(step)
  const said = JSON.stringify(blocks)
  return { blocks, usage: { ...usageOf(request), out: Math.ceil(said.length / 4) } }
}

function stepFor({ messages, tools = [] }: Request, otherwise: (text: string) => readonly Step[]): Step {
  const texts = messages.map(({ role, content }) => (role === 'user' ? textOf(content) : ''))
  // The text to sum up has every message in it: none of them is asked now.
  if (tools.length === 0) return otherwise(texts.join('\n'))[0] ?? ''
  for (let at = texts.length - 1; at >= 0; at--) {
    const text = texts[at] ?? ''
    const key = text === '' ? undefined : [...script.keys()].findLast((one) => text.includes(one))
    const isLast = texts.slice(at + 1).every((later) => later === '')
    if (key === undefined && !(isLast && text !== '')) continue
    const steps = key === undefined ? otherwise : (script.get(key) ?? [])
    const list = typeof steps === 'function' ? steps(text) : steps
    const done = messages.slice(at + 1).filter(({ role }) => role === 'assistant').length
    return list[done] ?? list.findLast((one) => typeof one === 'string') ?? 'Done.'
  }
  return 'Done.'
}

function textOf(content: string | readonly Content[]): string {
  if (typeof content === 'string') return content
  return content
    .flatMap(({ type, text = '' }) => (type === 'text' && !text.startsWith(MEMORY_HEADING) ? text : []))
    .join('\n')
}

function blocksOf(step: Step): Block[] {
  if (typeof step === 'string') return [{ text: step }]
  const list = 'tool' in step ? [step] : step
  return list.flatMap(({ tool, args, say }) => [
    ...(say === undefined ? [] : [{ text: say }]),
    { call: tool, id: `toolu_${++calls}`, args: JSON.stringify(args) },
  ])
}

/** What begins as an earlier prompt of the last hour began is read from the cache. */
function usageOf({ model, system, tools = [], messages }: Request) {
  const text = JSON.stringify([tools, system, messages])
  const at = Date.now()
  const shared = asked
    .filter((one) => one.model === model && at - one.at < CACHE_MS)
    .map((one) => sharedStart(one.text, text))
  const cached = Math.floor(Math.max(0, ...shared) / 4)
  const all = Math.ceil(text.length / 4)
  asked.push({ model, text, at })
  if (asked.length > CACHED_MAX) asked.shift()
  return { in: all, cached, written: Math.max(0, all - cached - 120) }
}

function sharedStart(one: string, other: string): number {
  let [low, high] = [0, Math.min(one.length, other.length)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (one.startsWith(other.slice(0, middle))) low = middle
    else high = middle - 1
  }
  return low
}

function slowly(parts: readonly string[], signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  if (pieceMs === 0) return new Response(parts.join('')).body as ReadableStream<Uint8Array>
  let at = 0
  return new ReadableStream({
    pull: async (controller) => {
      if (signal?.aborted === true) return controller.error(signal.reason)
      const part = parts[at++]
      if (part === undefined) return controller.close()
      if (at > 1) await realTime(pieceMs)
      controller.enqueue(encoder.encode(part))
    },
  })
}
