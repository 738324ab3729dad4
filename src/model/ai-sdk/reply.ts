import { fault, type Scene } from '../contract/fault.ts'
import type { Reply, ReplyCall } from '../contract/model.ts'
import { startThinkTag } from '../contract/think-tag.ts'
import { type Finish, finished, startDraft, type StreamPart, take } from './draft.ts'
import type { HostedProvider } from './providers.ts'
import { isJsonObject, parsedJson, type JsonObject } from '../../base/json.ts'

interface ReadOptions {
  readonly scene: Scene
  readonly provider: HostedProvider
  readonly onText: (piece: string) => void
  /** Told every piece, thoughts and arguments too. */
  readonly hear: (piece: string) => void
}

/** Joins the pieces of a stream. A stream that breaks off, or carries an error, is an error. */
export async function readReply(parts: AsyncIterable<StreamPart>, options: ReadOptions): Promise<Reply> {
  const draft = startDraft(options.scene.model)
  const rawArguments = options.provider === 'openrouter' ? startRawArguments() : undefined
  const thinkTag = options.provider === 'openai-compatible' ? startThinkTag() : undefined
  let finish: Finish | undefined
  let isCalledUnasked = false
  let pieces = 0
  const tell = (text: string): void => {
    if (text !== '') options.onText(text)
    draft.text += text
  }
  for await (const part of parts) {
    if (part.type === 'error') {
      if (saysEndless(part.error)) break
      if (!isUnwantedCall(part.error)) throw part.error
      isCalledUnasked = true
      continue
    }
    if (part.type === 'finish-step') finish = part
    else if (part.type === 'raw') {
      if ((rawArguments?.take(part.rawValue) ?? 0) > ARGUMENTS_MAX) throw fault('too-long', options.scene)
    } else if (part.type !== 'start' && part.type !== 'start-step' && part.type !== 'finish') pieces++
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') options.hear(part.text)
    if (part.type === 'tool-input-delta') options.hear(part.delta)
    if (part.type !== 'text-delta') take(draft, part)
    else tell(thinkTag ? thinkTag.take(part.text) : part.text)
  }
  if (!finish || isBrokenOff(finish, options.provider))
    throw fault(pieces === 0 ? 'garbled' : 'cut-off', options.scene)
  if (finish.finishReason === 'error' && !isCalledUnasked) throw fault('garbled', options.scene)
  const tagged = thinkTag?.end(finish.finishReason === 'length' || draft.calls.length > 0)
  tell(tagged?.text ?? '')
  const reply = finished(draft, finish)
  const calls = rawArguments?.corrected(reply.calls) ?? reply.calls
  return { ...reply, calls, reasoning: [...(tagged?.reasoning ?? []), ...reply.reasoning] }
}

/** OpenRouter's package parses all arguments again with every piece, so long ones would keep the process busy. */
const ARGUMENTS_MAX = 1_000_000

/** OpenRouter's package invents a finish reason if none came. */
function isBrokenOff({ finishReason, rawFinishReason }: Finish, provider: HostedProvider): boolean {
  return finishReason === 'interrupted' || (provider === 'openrouter' && rawFinishReason === undefined)
}

/** The model called a tool although it was told not to: its text is the answer, and nothing is run. */
function isUnwantedCall(error: unknown): boolean {
  return error instanceof Error && error.name === 'AI_ToolChoiceViolationError'
}

/** The error of the package for compatible servers when a stream broke off. */
function saysEndless(error: unknown): boolean {
  return error instanceof Error && error.message.includes('ended without a finish reason')
}

/**
 * OpenRouter's package turns unparsable arguments into `{}`: a tool would run without them. So the raw text is
 * collected from the chunks, and the invented arguments are taken back.
 */
function startRawArguments() {
  const texts: string[] = []
  let length = 0
  return {
    /** Returns how long all arguments are so far. */
    take(chunk: unknown): number {
      for (const delta of toolCallsIn(chunk)) {
        const index = typeof delta['index'] === 'number' ? delta['index'] : texts.length
        const made = delta['function']
        const piece = made !== undefined && isJsonObject(made) ? made['arguments'] : undefined
        texts[index] = (texts[index] ?? '') + (typeof piece === 'string' ? piece : '')
        length += typeof piece === 'string' ? piece.length : 0
      }
      return length
    },
    corrected: (calls: readonly ReplyCall[]): ReplyCall[] =>
      calls.map((call, index) => {
        const text = texts[index] ?? ''
        const isGood = text.trim() === '' || parsedJson(text) !== undefined
        return isGood ? call : { id: call.id, tool: call.tool, badArgs: text }
      }),
  }
}

function toolCallsIn(chunk: unknown): JsonObject[] {
  const choices = isJsonObject(chunk) ? chunk['choices'] : undefined
  const [choice] = Array.isArray(choices) ? choices.filter(isJsonObject) : []
  const delta = choice?.['delta']
  const calls = delta !== undefined && isJsonObject(delta) ? delta['tool_calls'] : undefined
  return Array.isArray(calls) ? calls.filter(isJsonObject) : []
}
