import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../base/json.ts'

/** A prompt in a form of no provider: it is hashed, logged, and can be rebuilt from the log at any time. */
export interface Prompt {
  readonly system: string
  readonly messages: readonly PromptMessage[]
  /** In a fixed order: providers cache a prompt from its beginning. */
  readonly tools: readonly ToolSpec[]
  readonly settings: Settings
}

export type PromptMessage =
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly PromptImage[] }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly reasoning: readonly Reasoning[]
      readonly calls: readonly PromptCall[]
    }
  | { readonly role: 'tool'; readonly call: string; readonly tool: string; readonly text: string }

/** By its hash, so that a prompt can be rebuilt and compared without the image. */
export interface PromptImage {
  readonly hash: string
  readonly name: string
  readonly mime: string
  readonly bytes: number
  readonly width?: number
  readonly height?: number
}

export interface PromptCall {
  readonly id: string
  readonly tool: string
  readonly args: JsonObject
}

const jsonObject = z.custom<JsonObject>((value) => isJsonObject(value), { error: 'a JSON object is needed' })

/** A model's thinking, sent back unchanged until the model changes. `data` is the provider's, with its signatures. */
export const reasoningSchema = z.strictObject({ text: z.string(), data: jsonObject })
export type Reasoning = Readonly<z.infer<typeof reasoningSchema>>

export const toolSpecSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string(),
  parameters: jsonObject,
})
export type ToolSpec = Readonly<z.infer<typeof toolSpecSchema>>

export const thinkingSchema = z.union([z.literal('off'), z.literal('adaptive'), z.int().min(1)])

export const settingsSchema = z.strictObject({
  /** `provider/model`, `offline`, or `scripted:FILE`. */
  model: z.string().min(1),
  /** Null: the provider's own. */
  tokensMax: z.int().min(1).nullable(),
  temperature: z.number().min(0).max(2).nullable(),
  thinking: thinkingSchema,
  /** `none`: the model has to answer without calls. Tools stay listed, so that the provider's cache still matches. */
  toolChoice: z.enum(['auto', 'none']),
})
export type Settings = Readonly<z.infer<typeof settingsSchema>>
