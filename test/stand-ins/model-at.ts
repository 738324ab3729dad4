import type { Prompt, Settings, ToolSpec } from '../../src/event/prompt.ts'
import type { CallOptions, Model } from '../../src/model/contract/model.ts'
import { type ModelOptions, openModel, type Provider } from '../../src/model/models.ts'
import type { ModelServer } from './model-server.ts'

export const providers = [
  'anthropic',
  'openai',
  'google',
  'openrouter',
  'openai-compatible',
  'ollama',
] as const satisfies readonly Provider[]

/** Models that think, and accept a temperature with thinking off. */
export const modelNames: Readonly<Record<Provider, string>> = {
  anthropic: 'anthropic/claude-sonnet-4-6',
  openai: 'openai/gpt-5.1',
  google: 'google/gemini-2.5-flash',
  openrouter: 'openrouter/anthropic/claude-sonnet-4.6',
  'openai-compatible': 'openai-compatible/some-model',
  ollama: 'ollama/qwen3:8b',
}

export const testKey = 'sk-test-0123456789'

export function optionsFor(server: Pick<ModelServer, 'url'>, more: ModelOptions = {}): ModelOptions {
  const { url } = server
  return {
    keys: {
      anthropic: testKey,
      openai: testKey,
      google: testKey,
      openrouter: testKey,
      'openai-compatible': testKey,
    },
    urls: {
      anthropic: `${url}/v1`,
      openai: `${url}/v1`,
      google: `${url}/v1beta`,
      openrouter: `${url}/openrouter/v1`,
      'openai-compatible': `${url}/v1`,
      ollama: url,
    },
    ...more,
  }
}

/** A model of this provider, or with this full name, at the server. */
export function modelAt(server: ModelServer, name: string, more: ModelOptions = {}): Model {
  const full = name in modelNames ? modelNames[name as Provider] : name
  return openModel(full, optionsFor(server, more))
}

export const settings: Settings = {
  model: 'any',
  tokensMax: null,
  temperature: null,
  thinking: 'off',
  toolChoice: 'auto',
}

export function toolNamed(name: string): ToolSpec {
  const properties = { path: { type: 'string', description: 'where' } }
  return { name, description: `does ${name}`, parameters: { type: 'object', properties, required: ['path'] } }
}

export function promptOf(
  messages: Prompt['messages'] | string,
  more: Partial<Omit<Prompt, 'settings'>> & { settings?: Partial<Settings> } = {},
): Prompt {
  return {
    system: 'You are kind.',
    messages: typeof messages === 'string' ? [{ role: 'user', text: messages }] : messages,
    tools: [],
    ...more,
    settings: { ...settings, ...more.settings },
  }
}

export function calling(more: Partial<CallOptions> = {}): CallOptions {
  return { signal: new AbortController().signal, ...more }
}
