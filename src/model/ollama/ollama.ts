import { isPrivateHost } from '../../base/address.ts'
import type { Random } from '../../base/random.ts'
import type { Prompt, PromptMessage } from '../../event/prompt.ts'
import { fault, faultOfComplaint, type Scene } from '../contract/fault.ts'
import { type ReadImage, showImages, type ShownImage, unseen } from '../contract/images.ts'
import { FREE, type CallOptions, type Model, type Reply } from '../contract/model.ts'
import { type AnswerLimits, startWatch, type Watch } from '../contract/watch.ts'
import { linesOf, readChat } from './reply.ts'
import type { JsonObject } from '../../base/json.ts'
import { unreachable } from '../../base/assert.ts'

interface OllamaModel {
  readonly scene: Scene
  /** Ollama's name for it. */
  readonly id: string
  readonly contextTokens: number
  readonly limits: AnswerLimits
  readonly random: Random
  /** Left out: the model does not see. */
  readonly readImage?: ReadImage | undefined
}

/**
 * A model of an Ollama server, over its native API: the OpenAI-compatible one takes no context size and would cut long
 * prompts silently. Works without the AI SDK, to save memory for local models.
 */
export function ollamaModel(spec: OllamaModel): Model {
  return {
    name: spec.scene.model,
    contextTokens: spec.contextTokens,
    // A server elsewhere that needs a key may charge for it.
    ...((spec.scene.key === undefined || isPrivateHost(new URL(spec.scene.url).hostname)) && { price: FREE }),
    async call(prompt, options) {
      const watch = startWatch(spec.scene, { signal: options.signal, limits: spec.limits })
      try {
        return await watch.until(chat({ spec, prompt, options, watch }))
      } catch (error) {
        throw watch.fault(error)
      } finally {
        watch.stop()
      }
    },
  }
}

async function chat(call: {
  spec: OllamaModel
  prompt: Prompt
  options: CallOptions
  watch: Watch
}): Promise<Reply> {
  const { spec, prompt, options, watch } = call
  const { scene } = spec
  const show = spec.readImage ? await showImages(prompt, spec.readImage) : unseen
  const response = await watch.fetch(`${scene.url}/api/chat`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(scene.key !== undefined && { authorization: `Bearer ${scene.key}` }),
    },
    body: JSON.stringify(chatBody(prompt, spec, show)),
  })
  if (!response.ok) throw await refusal(response, scene)
  if (response.body === null) throw fault('garbled', scene)
  const onText = watch.tell(options.onText)
  return readChat(linesOf(response.body), { scene, random: spec.random, onText, hear: watch.hear })
}

const WORDS_MAX = 10_000

async function refusal(response: Response, scene: Scene): Promise<Error> {
  const body = (await response.text()).slice(0, WORDS_MAX)
  const words = /"error"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(body)?.[1] ?? body
  return faultOfComplaint(
    { status: response.status, words, headers: Object.fromEntries(response.headers) },
    scene,
  )
}

/** A prompt as the body of `POST /api/chat`. */
function chatBody(prompt: Prompt, { scene, id, contextTokens }: OllamaModel, show: ShownImage): JsonObject {
  const { system, messages, tools, settings } = prompt
  return {
    model: id,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...messages.map((message) => sentMessage(message, scene.model, show)),
    ],
    // Ollama has no tool choice: the only way to prevent calls is not to show the tools.
    ...(settings.toolChoice === 'auto' && tools.length > 0 && { tools: tools.map(sentTool) }),
    stream: true,
    // A model that can think does so unless told not to; one that cannot refuses the option.
    ...(settings.thinking === 'off' && { think: false }),
    // Otherwise the beginning of a long prompt, the person's instructions, is cut off silently.
    truncate: false,
    shift: false,
    options: {
      num_ctx: contextTokens,
      ...(settings.tokensMax !== null && { num_predict: settings.tokensMax }),
      ...(settings.temperature !== null && { temperature: settings.temperature }),
    },
  }
}

function sentMessage(message: PromptMessage, name: string, show: ShownImage): JsonObject {
  switch (message.role) {
    case 'user': {
      const shown = (message.images ?? []).map(show)
      const told = shown.filter((image) => typeof image === 'string')
      const images = shown.filter((image) => typeof image !== 'string')
      return {
        role: 'user',
        content: [...told, message.text].join('\n\n'),
        ...(images.length > 0 && { images: images.map((bytes) => Buffer.from(bytes).toString('base64')) }),
      }
    }
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
