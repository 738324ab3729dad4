import { createHash } from 'node:crypto'
import type { AssistantModelMessage, FilePart, ModelMessage, SystemModelMessage, TextPart, ToolSet } from 'ai'
import type * as Sdk from 'ai'
import type { JsonObject } from '../../base/json.ts'
import { unreachable } from '../../base/assert.ts'
import type { Prompt, PromptImage, PromptMessage } from '../../event/prompt.ts'
import type { ShownImage } from '../contract/images.ts'
import { type Thought, thoughtOf } from './reasoning.ts'

type Part = Exclude<AssistantModelMessage['content'], string>[number]
type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>

export interface Dialect {
  /** The name that thoughts are stored under; null sends none back. */
  readonly thinker: string | null
  /** The kind of cache markers in the prompt, if any. */
  readonly markers?: 'anthropic' | 'openrouter' | 'openai'
  readonly loosenTools?: true
  readonly show: ShownImage
}

type Marker = { readonly providerOptions?: Record<string, JsonObject> }

export function sentSystem({ system }: Prompt, { markers }: Dialect): SystemModelMessage | undefined {
  if (system === '') return undefined
  return { role: 'system', content: system, ...marker(markers) }
}

export function sentMessages(
  { messages }: Prompt,
  dialect: Dialect,
  tailAt: number | undefined,
): ModelMessage[] {
  const marked = new Set(placesMarked(messages, dialect, tailAt))
  return messages.flatMap((message, index) =>
    sentMessage(message, dialect, marked.has(index) ? marker(dialect.markers) : {}),
  )
}

function placesMarked(
  messages: readonly PromptMessage[],
  { markers }: Dialect,
  tailAt: number | undefined,
): number[] {
  if (markers === undefined) return []
  const places = markedMessages(messages, tailAt)
  if (markers !== 'openai') return places
  // It caches the end by itself, as one of its four. A result with a marker is sent in another form than without.
  return places.filter((place) => place < messages.length - 1 && messages[place]?.role === 'user')
}

export function sentTools(
  { system, tools }: Prompt,
  { markers, loosenTools }: Dialect,
  jsonSchema: typeof Sdk.jsonSchema,
): ToolSet {
  // Tools come before the system text, whose marker covers them too.
  const last = system === '' && markers === 'anthropic' ? marker(markers) : {}
  return Object.fromEntries(
    tools.map((tool, index) => [
      tool.name,
      {
        description: tool.description,
        // Arguments are not checked here but where the tool runs.
        inputSchema: jsonSchema({ type: 'object', properties: {}, ...tool.parameters }),
        // Otherwise OpenAI makes every optional argument required.
        ...(loosenTools && { strict: false }),
        ...(index === tools.length - 1 && last),
      },
    ]),
  )
}

function marker(markers: Dialect['markers']): Marker {
  if (markers === undefined) return {}
  if (markers === 'openai') return { providerOptions: { openai: { promptCacheBreakpoint: EXPLICIT } } }
  return { providerOptions: { [markers]: { cacheControl: { type: 'ephemeral' } } } }
}

const EXPLICIT = { mode: 'explicit' }

function sentMessage(message: PromptMessage, dialect: Dialect, marker: Marker): ModelMessage[] {
  switch (message.role) {
    case 'user': {
      const text = isBlank(message.text) ? BLANK : message.text
      const images = (message.images ?? []).map((image) => sentImage(image, dialect))
      return [{ role: 'user', content: [...images, { type: 'text', text, ...marker }] }]
    }
    case 'assistant': {
      const content = assistantParts(message, dialect)
      // A provider refuses an empty message; one that held only another model's thoughts is empty now.
      return content.length === 0 ? [] : [{ role: 'assistant', content, ...marker }]
    }
    case 'tool': {
      const output = { type: 'text' as const, value: message.text }
      const toolCallId = sentCallId(message.call)
      // On the result itself: consecutive results become one message, and OpenRouter would mark each.
      const result = { type: 'tool-result' as const, toolCallId, toolName: message.tool, output, ...marker }
      return [{ role: 'tool', content: [result] }]
    }
    default:
      return unreachable(message)
  }
}

function sentImage(image: PromptImage, { show }: Dialect): FilePart | TextPart {
  const shown = show(image)
  if (typeof shown === 'string') return { type: 'text', text: shown }
  return { type: 'file', data: shown, mediaType: image.mime }
}

/** A provider refuses a prompt with a blank text, and with it the whole conversation from then on. */
const BLANK = '(no text)'

function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** The parts in their original order. */
function assistantParts(message: AssistantMessage, { thinker }: Dialect): Part[] {
  const thoughts = message.reasoning.flatMap((reasoning) => {
    const thought = thinker === null ? undefined : thoughtOf(reasoning, thinker)
    return thought ? [{ thought, text: reasoning.text }] : []
  })
  const parts: Part[] = []
  const sent = { text: 0, calls: 0 }
  const upTo = (place: { text: number; calls: number }): void => {
    const text = message.text.slice(sent.text, place.text)
    if (!isBlank(text)) parts.push({ type: 'text', text, ...options(thoughts, (on) => 'text' in on) })
    for (const [index, { id, tool, args }] of message.calls.entries()) {
      if (index < sent.calls || index >= place.calls) continue
      const signed = options(thoughts, (on) => 'call' in on && on.call === index)
      parts.push({ type: 'tool-call', toolCallId: sentCallId(id), toolName: tool, input: args, ...signed })
    }
    sent.text = Math.max(sent.text, place.text)
    sent.calls = Math.max(sent.calls, place.calls)
  }
  for (const { thought, text } of thoughts) {
    if (thought.on) continue
    upTo(thought.after ?? { text: 0, calls: 0 })
    parts.push({ type: 'reasoning', text, ...provided(thought.metadata) })
  }
  upTo({ text: message.text.length, calls: message.calls.length })
  return parts
}

function options(
  thoughts: readonly { readonly thought: Thought }[],
  fits: (on: NonNullable<Thought['on']>) => boolean,
): { providerOptions?: Record<string, JsonObject> } {
  return provided(thoughts.find(({ thought }) => thought.on && fits(thought.on))?.thought.metadata)
}

function provided(metadata: JsonObject | undefined): { providerOptions?: Record<string, JsonObject> } {
  return metadata ? { providerOptions: metadata as Record<string, JsonObject> } : {}
}

/** Another provider's ids may break this one's rules; the same id always becomes the same. */
function sentCallId(id: string): string {
  return /^[\w-]{1,64}$/.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`
}

/**
 * The messages after which a provider is asked to cache the prompt: at most three, since it takes four markers and one
 * is after the tools and the system text. It writes nowhere else, and finds a cached prefix only near a marker of a
 * later prompt. So each marker is where a later prompt is still the same, or where an earlier one was: at the end, for
 * the next step; at the message before the tail, for the next turn, which has another tail or none; and where the
 * previous step ended or, in a turn's first step, where the previous turn was opened.
 */
export function markedMessages(messages: readonly PromptMessage[], tailAt?: number): number[] {
  const end = messages.length - 1
  const said = messages.findLastIndex(({ role }) => role === 'assistant')
  const places =
    tailAt === undefined
      ? [end, said - 1, openingBefore(messages, said)]
      : [end, tailAt - 1, said > tailAt ? said - 1 : openingBefore(messages, said)]
  return [...new Set(places)].filter((place) => place >= 0)
}

/** The last of the messages that opened this one's turn. After a result, people only joined in. */
function openingBefore(messages: readonly PromptMessage[], said: number): number {
  const roleAt = (place: number): PromptMessage['role'] | undefined => messages[place]?.role
  for (let last = said - 1; last >= 0; last--) {
    if (roleAt(last) !== 'user') continue
    let first = last
    while (roleAt(first - 1) === 'user') first--
    if (roleAt(first - 1) !== 'tool') return last
    last = first
  }
  return -1
}
