import { createHash } from 'node:crypto'
import type { AssistantModelMessage, ModelMessage, SystemModelMessage, ToolSet } from 'ai'
import type * as Sdk from 'ai'
import type { JsonObject } from '../../base/json.ts'
import { unreachable } from '../../base/unreachable.ts'
import type { Prompt, PromptMessage } from '../../event/prompt.ts'
import { type Thought, thoughtOf } from './reasoning.ts'

type Part = Exclude<AssistantModelMessage['content'], string>[number]
type AssistantMessage = Extract<PromptMessage, { role: 'assistant' }>

export interface Dialect {
  /** The name under which thoughts were stored; null sends none back. */
  readonly thinker: string | null
  /** Where the provider wants its cache markers, if it has any. */
  readonly cacheKey?: 'anthropic' | 'openrouter'
  readonly loosenTools?: true
}

export function sentSystem({ system }: Prompt, { cacheKey }: Dialect): SystemModelMessage | undefined {
  if (system === '') return undefined
  return { role: 'system', content: system, ...marker(cacheKey) }
}

/** The messages, with a cache marker at the end and where the call before this one ended. */
export function sentMessages({ messages }: Prompt, dialect: Dialect): ModelMessage[] {
  const sent = messages.flatMap((message) => sentMessage(message, dialect))
  const lastAnswer = sent.findLastIndex(({ role }) => role === 'assistant')
  for (const index of new Set([sent.length - 1, lastAnswer - 1])) {
    const message = sent[index]
    if (message) sent[index] = { ...message, ...marker(dialect.cacheKey) }
  }
  return sent
}

export function sentTools(
  { tools }: Prompt,
  { cacheKey, loosenTools }: Dialect,
  jsonSchema: typeof Sdk.jsonSchema,
): ToolSet {
  return Object.fromEntries(
    tools.map((tool, index) => [
      tool.name,
      {
        description: tool.description,
        // Arguments are not checked here: whoever runs a tool does.
        inputSchema: jsonSchema({ type: 'object', properties: {}, ...tool.parameters }),
        // Else OpenAI makes every argument that is optional a required one.
        ...(loosenTools && { strict: false }),
        ...(index === tools.length - 1 && marker(cacheKey)),
      },
    ]),
  )
}

function marker(key: Dialect['cacheKey']): { providerOptions?: Record<string, JsonObject> } {
  return key ? { providerOptions: { [key]: { cacheControl: { type: 'ephemeral' } } } } : {}
}

function sentMessage(message: PromptMessage, dialect: Dialect): ModelMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: isBlank(message.text) ? BLANK : message.text }]
    case 'assistant': {
      const content = assistantParts(message, dialect)
      // A provider refuses an empty message; one that held only another model's thoughts is empty now.
      return content.length === 0 ? [] : [{ role: 'assistant', content }]
    }
    case 'tool': {
      const output = { type: 'text' as const, value: message.text }
      const toolCallId = sentCallId(message.call)
      return [
        { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: message.tool, output }] },
      ]
    }
    default:
      return unreachable(message)
  }
}

/** A provider refuses a prompt in which one text is blank, and with it the whole conversation from then on. */
const BLANK = '(no text)'

function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** The parts in the order in which they came. */
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
    for (const { id, tool, args } of message.calls.slice(sent.calls, place.calls)) {
      const signed = options(thoughts, (on) => 'call' in on && on.call === id)
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

/** Ids that another provider gave may break this one's rules; the same id always becomes the same. */
function sentCallId(id: string): string {
  return /^[\w-]{1,64}$/.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`
}
