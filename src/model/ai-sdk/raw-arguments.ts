import { isJsonObject, type JsonObject } from '../../base/json.ts'
import type { ReplyCall } from '../model.ts'

/**
 * OpenRouter's package turns arguments that do not parse into `{}`: a tool would run without them. So the texts are
 * collected from the chunks themselves, and what the package made up is taken back.
 */
export interface RawArguments {
  take(chunk: unknown): void
  corrected(calls: readonly ReplyCall[]): ReplyCall[]
}

export function startRawArguments(): RawArguments {
  const texts: string[] = []
  return {
    take(chunk) {
      for (const delta of toolCallsIn(chunk)) {
        const index = typeof delta['index'] === 'number' ? delta['index'] : texts.length
        const made = delta['function']
        const piece = made !== undefined && isJsonObject(made) ? made['arguments'] : undefined
        texts[index] = (texts[index] ?? '') + (typeof piece === 'string' ? piece : '')
      }
    },
    corrected: (calls) =>
      calls.map((call, index) => {
        const text = texts[index] ?? ''
        return text.trim() === '' || isParsable(text) ? call : { id: call.id, tool: call.tool, badArgs: text }
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

function isParsable(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
