import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../base/json.ts'
import { reasoningSchema } from '../event/prompt.ts'
import { modelErrorReasons } from './model.ts'

const jsonObject = z.custom<JsonObject>(isJsonObject, { error: 'a JSON object is needed' })

const callSchema = z.strictObject({
  id: z.string().min(1).optional(),
  tool: z.string(),
  args: jsonObject.optional(),
  /** In place of `args`: what a model wrote that is no JSON object. */
  badArgs: z.string().optional(),
})

const usageSchema = z.strictObject({
  tokensIn: z.int().min(0).default(0),
  tokensOut: z.int().min(0).default(0),
  tokensCached: z.int().min(0).default(0),
  tokensCacheWritten: z.int().min(0).default(0),
})

const expectSchema = z.strictObject({
  /** Regular expressions. */
  lastUser: z.string().optional(),
  lastTool: z.string().optional(),
  system: z.string().optional(),
  /** Names, in order. */
  tools: z.array(z.string()).optional(),
  toolChoice: z.enum(['auto', 'none']).optional(),
})

/**
 * One thing that a scripted model does. What it waits for and checks comes first; a step that neither replies, calls
 * nor fails is followed by the next one within the same call.
 */
export const stepSchema = z.strictObject({
  expect: expectSchema.optional(),
  delayMs: z.int().min(0).optional(),
  reply: z.strictObject({ text: z.string() }).optional(),
  /** Tells `reply.text` in these pieces; without it, in one. */
  pieces: z.array(z.string()).optional(),
  calls: z.array(callSchema).optional(),
  reasoning: z.array(reasoningSchema).optional(),
  finish: z.enum(['stop', 'calls', 'length', 'refused']).optional(),
  usage: usageSchema.optional(),
  error: z
    .strictObject({
      reason: z.enum(modelErrorReasons),
      message: z.string().optional(),
      retryAfterMs: z.int().min(0).optional(),
    })
    .optional(),
})

export const scriptSchema = z.array(stepSchema)

/** Where a script does not fit first, and what was expected there: `step 2, reply.text: expected string, …`. */
export function misfitIn(error: Error): string | undefined {
  const issue = error instanceof z.ZodError ? error.issues[0] : undefined
  if (!issue) return undefined
  const [step, ...within] = issue.path
  if (typeof step !== 'number') return `a list of steps was expected, as in [{"reply":{"text":"Hello"}}]`
  const place = [`step ${step + 1}`, within.join('.')].filter(Boolean).join(', ')
  const isStrange = issue.code === 'unrecognized_keys' && within.length === 0
  const known = isStrange ? `; a step may have ${Object.keys(stepSchema.shape).join(', ')}` : ''
  return `${place}: ${issue.message.replace(/^Invalid (?:input|option): /, '')}${known}`
}

export type Step = z.infer<typeof stepSchema>
export type StepInput = z.input<typeof stepSchema>
export type Expectation = z.infer<typeof expectSchema>
export type ScriptedCall = z.infer<typeof callSchema>
