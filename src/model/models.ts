import { isPrivateHost } from '../base/address.ts'
import { nearest } from '../base/nearest.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/random.ts'
import { hostedModel } from './ai-sdk/adapter.ts'
import { type EmbeddingCall, hostedEmbedding } from './ai-sdk/embedding.ts'
import type { HostedProvider } from './ai-sdk/providers.ts'
import type { Scene } from './contract/fault.ts'
import { boundedReply } from './contract/bounded-reply.ts'
import type { ReadImage } from './contract/images.ts'
import { answerLimits, type AnswerLimits } from './contract/watch.ts'
import { knownModel } from './known-models.ts'
import { FREE, type Model, ModelError, type Price } from './contract/model.ts'
import { ollamaModel } from './ollama/ollama.ts'

export type Provider = HostedProvider | 'ollama'

/** All that models need from the outside; the reader of the configuration fills it in. */
export interface ModelOptions {
  readonly keys?: { readonly [provider in Provider]?: string | undefined }
  /** Other addresses than the providers' own; `openai-compatible` has no own one. */
  readonly urls?: { readonly [provider in Provider]?: string | undefined }
  /** Where these were set, for errors: `urls.ollama` from /home/you/.mainstem/config.json, line 3. */
  readonly urlOrigins?: { readonly [provider in Provider]?: string | undefined }
  /** Makes the model that is called `offline`. */
  readonly offline?: () => Model
  /** In place of the usual ones. */
  readonly limits?: Partial<AnswerLimits>
  /** In place of what is known of the model. */
  readonly contextTokens?: number
  /** Dollars for a million tokens of the server behind `openai-compatible`, if somebody said so. */
  readonly compatiblePrice?: number | null
  /** For models that see. */
  readonly readImage?: ReadImage
  readonly now?: Clock
}

/**
 * The model of this name: `provider/model`, `offline`, or `scripted:FILE`. Opens no connection and loads no provider's
 * code; the first call does. Throws a ModelError that says what to set when something is missing.
 */
export function openModel(name: string, options: ModelOptions = {}): Model {
  if (name === 'offline') {
    if (!options.offline)
      throw new ModelError('unavailable', 'The offline model is not part of this program.')
    return options.offline()
  }
  if (name.startsWith('scripted:')) return openScripted(name)
  const [provider, id] = split(name)
  const known = knownModel(name)
  const spec = {
    scene: sceneOf(name, provider, options),
    id,
    contextTokens: options.contextTokens ?? known.contextTokens,
    limits: { ...answerLimits, ...options.limits },
    readImage: known.seesImages ? options.readImage : undefined,
    price: provider === 'openai-compatible' ? compatiblePrice(options) : known.price,
  }
  const model =
    provider === 'ollama'
      ? ollamaModel({ ...spec, random: systemRandom })
      : hostedModel({ ...spec, provider })
  return {
    ...model,
    call: async (prompt, calling) => boundedReply(spec.scene, prompt, await model.call(prompt, calling)),
  }
}

/**
 * The model for vectors of this name, `provider/model`, and where texts are sent to. Throws a ModelError that says what
 * to set when something is missing.
 */
export function openEmbedding(
  name: string,
  options: ModelOptions = {},
): { readonly url: string; readonly call: EmbeddingCall } {
  const [provider, id] = split(name)
  if (provider === 'anthropic')
    throw new ModelError('unavailable', 'Anthropic has no models for vectors. Set another `embedder`.')
  const scene: Scene = { ...sceneOf(name, provider, options), setting: 'embedder' }
  const { url } = scene
  const call =
    provider === 'ollama'
      ? hostedEmbedding({ scene, provider: 'openai-compatible', id, url: `${url}/v1` })
      : hostedEmbedding({ scene, provider, id, url })
  return { url, call }
}

/** Nobody charges for a server on this machine or a private network, unless the person says so. */
function compatiblePrice({ urls, compatiblePrice: told = null }: ModelOptions): Price | undefined {
  if (told !== null) return { perMillionIn: told, perMillionOut: told, perMillionCached: told }
  const url = URL.parse(urls?.['openai-compatible'] ?? '')
  return url !== null && isPrivateHost(url.hostname) ? FREE : undefined
}

const SCRIPTED_CONTEXT_TOKENS = 100_000

function openScripted(name: string): Model {
  let opened: Promise<Model> | undefined
  const open = async (): Promise<Model> => {
    const { scriptedFile } = await import('./scripted.ts')
    return scriptedFile(name.slice('scripted:'.length))
  }
  return {
    name,
    contextTokens: SCRIPTED_CONTEXT_TOKENS,
    price: FREE,
    async call(prompt, options) {
      opened ??= open()
      return (await opened).call(prompt, options)
    },
  }
}

/** Their own addresses, and the variables in which people usually keep their keys. */
const providers: Readonly<Record<Provider, { readonly url?: string; readonly keyVariable?: string }>> = {
  anthropic: { url: 'https://api.anthropic.com/v1', keyVariable: 'ANTHROPIC_API_KEY' },
  openai: { url: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY' },
  google: {
    url: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
  },
  openrouter: { url: 'https://openrouter.ai/api/v1', keyVariable: 'OPENROUTER_API_KEY' },
  ollama: { url: 'http://127.0.0.1:11434', keyVariable: 'OLLAMA_API_KEY' },
  'openai-compatible': {},
}

/** The settings of a provider as a person is told them. */
function settingsOf(provider: Provider): { readonly key: string; readonly url: string } {
  if (provider === 'openai-compatible')
    return { key: '`openaiCompatible.key`', url: '`openaiCompatible.url`' }
  const { keyVariable } = providers[provider]
  const url = `\`urls.${provider}\`${provider === 'ollama' ? ' or OLLAMA_HOST' : ''}`
  return { key: `\`keys.${provider}\` or ${keyVariable}`, url }
}

const names: readonly string[] = Object.keys(providers)

function split(name: string): [Provider, string] {
  const slash = name.indexOf('/')
  const provider = slash < 0 ? name : name.slice(0, slash)
  if (!isProvider(provider)) {
    const meant = nearest(provider.toLowerCase(), [...names, 'offline'])
    const hint = meant === undefined ? '' : ` Did you mean ${meant}${slash < 0 ? '' : name.slice(slash)}?`
    const list = [...names.map((known) => `${known}/MODEL`), 'offline', 'scripted:FILE'].join(', ')
    throw new ModelError('unavailable', `Unknown model provider '${provider}'.${hint} You can use ${list}.`)
  }
  const id = slash < 0 ? '' : name.slice(slash + 1)
  if (id === '') throw new ModelError('unavailable', `'${name}' names no model. Write ${provider}/MODEL.`)
  return [provider, id]
}

function isProvider(word: string): word is Provider {
  return names.includes(word)
}

function sceneOf(model: string, provider: Provider, options: ModelOptions): Scene {
  const settings = settingsOf(provider)
  const chosen = options.urls?.[provider]?.trim() || undefined
  const url = chosen ?? providers[provider].url
  const key = options.keys?.[provider]?.trim() || undefined
  if (url === undefined) throw new ModelError('unavailable', `${model} needs a URL. Set ${settings.url}.`)
  if (key === undefined && provider !== 'ollama' && provider !== 'openai-compatible') {
    throw new ModelError('unavailable', `${model} needs an API key. Set ${settings.key}.`)
  }
  const isFixed = chosen === undefined && provider !== 'ollama'
  const whereSet =
    chosen === undefined
      ? `the default; ${settings.url} changes it`
      : (options.urlOrigins?.[provider] ?? settings.url)
  return {
    model,
    url: provider === 'ollama' ? hostUrl(url) : url.replace(/\/+$/, ''),
    key,
    settings: { key: settings.key, url: isFixed ? undefined : whereSet },
    now: options.now ?? systemClock,
  }
}

/** OLLAMA_HOST is often the address a server listens on: without a scheme or a port, or every address of the machine. */
export function hostUrl(host: string): string {
  const url = /^https?:\/\//.test(host) ? host : `http://${host}`
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed) {
    throw new ModelError('unavailable', `'${host}' is not a URL. Correct \`urls.ollama\` or OLLAMA_HOST.`)
  }
  if (!/:\d+/.test(url.slice('https://'.length - 1)) && parsed.protocol === 'http:') parsed.port = '11434'
  if (parsed.hostname === '0.0.0.0') parsed.hostname = '127.0.0.1'
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '')
}
