import { type JsonObject, isJson, isJsonObject } from '../../base/json.ts'
import type { Reasoning } from '../../event/prompt.ts'

/**
 * The stored form of `Reasoning.data`, for ever: who thought it, what the provider wants back with it, and its place in
 * the answer. A signature attached to a call or to the text, not to a thought, is a Reasoning without text.
 */
export interface Thought {
  readonly model: string
  readonly metadata?: JsonObject
  /** How much text and how many calls came before: a provider refuses thoughts in another order. */
  readonly after?: { readonly text: number; readonly calls: number }
  /** What the metadata is attached to: `text`, or a call of the answer, counted from 0. Absent: the thought itself. */
  readonly on?: { readonly text: true } | { readonly call: number }
}

export function thoughtData({ model, metadata, after, on }: Thought): JsonObject {
  return {
    model,
    ...(metadata && { metadata }),
    ...(after && (after.text > 0 || after.calls > 0) && { after }),
    ...(on && { on }),
  }
}

/** The model's stored thought, if it is this model's: signatures of another would be refused. */
export function thoughtOf({ data }: Reasoning, model: string): Thought | undefined {
  if (data['model'] !== model) return undefined
  const { metadata, after, on } = data
  const call = on && isJsonObject(on) ? on['call'] : undefined
  return {
    model,
    ...(metadata !== undefined && isJsonObject(metadata) && { metadata }),
    ...(after !== undefined && isJsonObject(after) && { after: placeOf(after) }),
    ...(on !== undefined && { on: call === undefined ? { text: true } : { call: Number(call) } }),
  }
}

function placeOf(after: JsonObject): { text: number; calls: number } {
  const { text, calls } = after
  return { text: typeof text === 'number' ? text : 0, calls: typeof calls === 'number' ? calls : 0 }
}

/** The provider's metadata as plain JSON: undefined values are left out, anything that is not JSON is dropped whole. */
export function plainMetadata(metadata: unknown): JsonObject | undefined {
  if (metadata === undefined || metadata === null) return undefined
  const copy: unknown = JSON.parse(JSON.stringify(metadata))
  return isJsonObject(copy) && isJson(copy) && Object.keys(copy).length > 0 ? copy : undefined
}

/** The only metadata on a text or a call that the provider needs back. */
export function signatureIn(metadata: unknown): JsonObject | undefined {
  const plain = plainMetadata(metadata)
  if (!plain) return undefined
  const kept = Object.entries(plain).flatMap(([provider, fields]) => {
    if (!isJsonObject(fields)) return []
    const signs = Object.entries(fields).filter(
      ([key, value]) => signatures.has(key) && value !== null && !isEmpty(value),
    )
    return signs.length > 0 ? [[provider, Object.fromEntries(signs)] as const] : []
  })
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Gemini's signature of a call, OpenAI's phase of a text, OpenRouter's thoughts that came without a text. */
const signatures = new Set(['thoughtSignature', 'phase', 'reasoning_details'])
