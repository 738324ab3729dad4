import type { JsonObject } from '../../base/json.ts'
import { unreachable } from '../../base/unreachable.ts'
import type { Prompt, PromptMessage } from '../../event/prompt.ts'

/** A prompt as the body of `POST /api/chat`. */
export function chatBody(
  prompt: Prompt,
  model: { name: string; id: string; contextTokens: number },
): JsonObject {
  const { system, messages, tools, settings } = prompt
  return {
    model: model.id,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...messages.map((message) => sentMessage(message, model.name)),
    ],
    // Ollama has no tool choice: the only way to keep a model from calling is not to show the tools.
    ...(settings.toolChoice === 'auto' && tools.length > 0 && { tools: tools.map(sentTool) }),
    stream: true,
    // A model that can think does so unless told otherwise; one that cannot refuses to be asked.
    ...(settings.thinking === 'off' && { think: false }),
    // Else the beginning of a long prompt, the person's instructions, is cut off without a word.
    truncate: false,
    shift: false,
    options: {
      num_ctx: model.contextTokens,
      ...(settings.tokensMax !== null && { num_predict: settings.tokensMax }),
      ...(settings.temperature !== null && { temperature: settings.temperature }),
    },
  }
}

function sentMessage(message: PromptMessage, name: string): JsonObject {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text }
    case 'assistant': {
      const thinking = message.reasoning
        .filter(({ data }) => data['model'] === name)
        .map(({ text }) => text)
        .join('')
      const calls = message.calls.map(({ id, tool, args }) => ({
        id,
        function: { name: tool, arguments: args },
      }))
      return {
        role: 'assistant',
        content: message.text,
        ...(thinking !== '' && { thinking }),
        ...(calls.length > 0 && { tool_calls: calls }),
      }
    }
    case 'tool':
      return { role: 'tool', content: message.text, tool_name: message.tool, tool_call_id: message.call }
    default:
      return unreachable(message)
  }
}

function sentTool({ name, description, parameters }: Prompt['tools'][number]): JsonObject {
  return {
    type: 'function',
    function: { name, description, parameters: { type: 'object', properties: {}, ...parameters } },
  }
}
