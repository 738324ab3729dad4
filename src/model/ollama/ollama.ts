import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Prompt } from '../../event/prompt.ts'
import { faultOfComplaint, type Scene, worded } from '../fault.ts'
import type { CallOptions, Model, Reply } from '../model.ts'
import { withUsage } from '../usage.ts'
import { startWatch, type Watch } from '../watch.ts'
import { linesOf, readChat } from './reply.ts'
import { chatBody } from './request.ts'

export interface OllamaModel {
  readonly name: string
  readonly id: string
  readonly url: string
  readonly key: string | undefined
  readonly contextTokens: number
  readonly idleMs: number
  readonly now: Clock
  readonly random: Random
}

/**
 * A model of an Ollama server, over its own API: the one that looks like OpenAI's takes no context size, and would cut
 * long prompts in silence. Without the AI SDK, so a local model costs no more memory than it must.
 */
export function ollamaModel(spec: OllamaModel): Model {
  return {
    name: spec.name,
    contextTokens: spec.contextTokens,
    async call(prompt, options) {
      const watch = startWatch({ model: spec.name, signal: options.signal, idleMs: spec.idleMs })
      try {
        return await watch.until(chat({ spec, prompt, options, watch }))
      } catch (error) {
        throw watch.fault(error, sceneOf(spec))
      } finally {
        watch.stop()
      }
    },
  }
}

function sceneOf({ name, key, now }: OllamaModel): Scene {
  return { model: name, key, variable: 'OLLAMA_HOST', now: now() }
}

async function chat(call: {
  spec: OllamaModel
  prompt: Prompt
  options: CallOptions
  watch: Watch
}): Promise<Reply> {
  const { spec, prompt, options, watch } = call
  const response = await watch.fetch(`${spec.url}/api/chat`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(spec.key !== undefined && { authorization: `Bearer ${spec.key}` }),
    },
    body: JSON.stringify(chatBody(prompt, spec)),
  })
  const scene = sceneOf(spec)
  if (!response.ok) throw await refusal(response, scene)
  if (response.body === null) throw worded('garbled', 'the answer is empty', { scene })
  const onText = watch.tell(options.onText)
  const reply = await readChat(linesOf(response.body), { scene, random: spec.random, onText })
  return withUsage(prompt, reply)
}

async function refusal(response: Response, scene: Scene): Promise<Error> {
  const body = await response.text()
  const words = /"error"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(body)?.[1] ?? body
  return faultOfComplaint(
    { status: response.status, words, headers: Object.fromEntries(response.headers) },
    scene,
  )
}
