import { readFile } from 'node:fs/promises'
import { estimateTokens } from '../base/tokens.ts'
import { type Prompt, reasoningSchema } from '../event/prompt.ts'
import {
  type CallOptions,
  type Model,
  ModelError,
  type Reply,
  type ReplyCall,
  modelErrorReasons,
} from './contract/model.ts'
import { type Sleep, systemSleep } from './contract/sleep.ts'
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../base/json.ts'

const CONTEXT_TOKENS = 100_000

interface ScriptedModel extends Model {
  /** The prompts it was called with, oldest first. */
  readonly prompts: readonly Prompt[]
  /** Steps that were not taken yet. */
  left(): number
}

/** The test double: does what its steps say, in their order, and nothing when they are used up. */
export function scriptedModel(
  steps: readonly StepInput[],
  options: { name?: string; contextTokens?: number; sleep?: Sleep } = {},
): ScriptedModel {
  const { name = 'scripted', contextTokens = CONTEXT_TOKENS, sleep = systemSleep } = options
  const script = scriptSchema.parse(steps)
  const prompts: Prompt[] = []
  let taken = 0

  const call = async (prompt: Prompt, { signal, onText }: CallOptions): Promise<Reply> => {
    prompts.push(prompt)
    for (;;) {
      const number = taken++
      const step = script[number]
      if (!step) {
        throw new ModelError(
          'rejected',
          `${name}: the script has ${script.length} steps, and all are used up`,
        )
      }
      if (signal.aborted) throw new ModelError('aborted', `${name}: the call was stopped`)
      if (step.expect) check(step.expect, prompt, `${name}: step ${number + 1}`)
      if (step.delayMs !== undefined) await sleep(step.delayMs, signal)
      for (const piece of step.pieces ?? [step.reply?.text ?? '']) if (piece !== '') onText?.(piece)
      if (step.error) throw failure(step, name)
      if (!step.reply && !step.calls) continue
      return replyOf(step, { prompt, number })
    }
  }
  return { name, contextTokens, prompts, left: () => Math.max(0, script.length - taken), call }
}

/** A script in a file, as JSON. */
export async function scriptedFile(path: string): Promise<ScriptedModel> {
  const name = `scripted:${path}`
  try {
    return scriptedModel(JSON.parse(await readFile(path, 'utf8')), { name })
  } catch (cause) {
    const why = cause instanceof Error ? (misfitIn(cause) ?? cause.message) : 'unknown'
    throw new ModelError('unavailable', `${name}: the script cannot be used: ${why}`, { cause })
  }
}

function check(expected: z.infer<typeof expectSchema>, prompt: Prompt, step: string): void {
  const last = (role: 'user' | 'tool'): string =>
    prompt.messages.findLast((message) => message.role === role)?.text ?? ''
  const names = prompt.tools.map((tool) => tool.name)
  const patterns = [
    ['lastUser', expected.lastUser, last('user')],
    ['lastTool', expected.lastTool, last('tool')],
    ['system', expected.system, prompt.system],
  ] as const
  const missed = (what: string) => new ModelError('rejected', `${step} expected ${what}`)
  for (const [what, pattern, text] of patterns)
    if (pattern !== undefined && !new RegExp(pattern, 'su').test(text))
      throw missed(`${what} to match /${pattern}/, but it is: ${text}`)
  const { tools, toolChoice } = expected
  if (tools && tools.join() !== names.join())
    throw missed(`the tools ${tools.join()}, but they are ${names.join()}`)
  if (toolChoice !== undefined && toolChoice !== prompt.settings.toolChoice)
    throw missed(`the tool choice ${toolChoice}`)
}

function failure({ error, pieces }: Step, name: string): ModelError {
  const { reason = 'rejected', message = reason, retryAfterMs } = error ?? {}
  const failed = new ModelError(reason, `${name}: ${message}`, { retryAfterMs })
  return pieces === undefined ? failed : Object.assign(failed, { heard: pieces.join('') })
}

function replyOf(step: Step, { prompt, number }: { prompt: Prompt; number: number }): Reply {
  const calls = (step.calls ?? []).map(({ id, tool, args = {}, badArgs }, index): ReplyCall => {
    // Not only the step: a script that is begun again after a restart would give the same ids again.
    const named = { id: id ?? `call-${prompt.messages.length}-${number}-${index}`, tool }
    return badArgs === undefined ? { ...named, args } : { ...named, badArgs }
  })
  const text = step.reply?.text ?? ''
  return {
    text,
    reasoning: step.reasoning ?? [],
    calls,
    finish: step.finish ?? (calls.length > 0 ? 'calls' : 'stop'),
    usage: step.usage ?? {
      tokensIn: estimateTokens(JSON.stringify(prompt)),
      tokensOut: estimateTokens(text + JSON.stringify(calls)),
      tokensCached: 0,
      tokensCacheWritten: 0,
    },
  }
}

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
const stepSchema = z.strictObject({
  expect: expectSchema.optional(),
  delayMs: z.int().min(0).optional(),
  reply: z.strictObject({ text: z.string() }).optional(),
  /** Tells `reply.text` in these pieces; without it, in one. With `error`: what came before it broke off. Alone: what comes before the next step. */
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

const scriptSchema = z.array(stepSchema)

/** Where a script does not fit first, and what was expected there: `step 2, reply.text: expected string, …`. */
function misfitIn(error: Error): string | undefined {
  const issue = error instanceof z.ZodError ? error.issues[0] : undefined
  if (!issue) return undefined
  const [step, ...within] = issue.path
  if (typeof step !== 'number') return `a list of steps was expected, as in [{"reply":{"text":"Hello"}}]`
  const place = [`step ${step + 1}`, within.join('.')].filter(Boolean).join(', ')
  const isStrange = issue.code === 'unrecognized_keys' && within.length === 0
  const known = isStrange ? `; a step may have ${Object.keys(stepSchema.shape).join(', ')}` : ''
  return `${place}: ${issue.message.replace(/^Invalid (?:input|option): /, '')}${known}`
}

type Step = z.infer<typeof stepSchema>
export type StepInput = z.input<typeof stepSchema>
