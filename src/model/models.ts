import { nearest } from '../base/nearest.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { type Random, systemRandom } from '../base/random.ts'
import { hostedModel } from './ai-sdk/adapter.ts'
import type { HostedProvider } from './ai-sdk/providers.ts'
import { knownModel } from './known-models.ts'
import { type Model, ModelError, type Price } from './contract/model.ts'
import { ollamaModel } from './ollama/ollama.ts'

export type Provider = HostedProvider | 'ollama'

/** All that models need from the outside; whoever reads the configuration fills it in. */
export interface ModelOptions {
  readonly keys?: { readonly [provider in Provider]?: string | undefined }
  /** Other addresses than the providers' own; `openai-compatible` has no own one. */
  readonly urls?: { readonly [provider in Provider]?: string | undefined }
  /** Makes the model that is called `offline`. */
  readonly offline?: () => Model
  /** How long a provider may be silent, before its answer and within it. */
  readonly idleMs?: number
  /** In place of what is known of the model. */
  readonly contextTokens?: number
  readonly price?: Price
  readonly now?: Clock
  readonly random?: Random
}

/**
 * The model of this name: `provider/model`, `offline`, or `scripted:FILE`. Opens no connection and loads no provider's
 * code; the first call does. Throws a ModelError that says what to set when something is missing.
 */
export function openModel(name: string, options: ModelOptions = {}): Model {
  if (name === 'offline') {
    if (!options.offline)
      throw new ModelError('unavailable', 'offline: this program was put together without it')
    return options.offline()
  }
  if (name.startsWith('scripted:')) return openScripted(name)
  const [provider, id] = split(name)
  return provider === 'ollama' ? openOllama(name, id, options) : openHosted({ name, provider, id }, options)
}

const IDLE_MS = 300_000
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
    async call(prompt, options) {
      opened ??= open()
      return (await opened).call(prompt, options)
    },
  }
}

const providers: Readonly<
  Record<Provider, { readonly url?: string; readonly key: string; readonly urlKey?: string }>
> = {
  anthropic: { url: 'https://api.anthropic.com/v1', key: 'ANTHROPIC_API_KEY' },
  openai: { url: 'https://api.openai.com/v1', key: 'OPENAI_API_KEY' },
  google: {
    url: 'https://generativelanguage.googleapis.com/v1beta',
    key: 'GOOGLE_GENERATIVE_AI_API_KEY',
  },
  openrouter: { url: 'https://openrouter.ai/api/v1', key: 'OPENROUTER_API_KEY' },
  ollama: { url: 'http://127.0.0.1:11434', key: 'OLLAMA_API_KEY', urlKey: 'OLLAMA_HOST' },
  'openai-compatible': { key: 'MAINSTEM_OPENAI_COMPATIBLE_KEY', urlKey: 'MAINSTEM_OPENAI_COMPATIBLE_URL' },
}

const names: readonly string[] = Object.keys(providers)

function split(name: string): [Provider, string] {
  const slash = name.indexOf('/')
  const provider = slash < 0 ? name : name.slice(0, slash)
  if (!isProvider(provider)) {
    const meant = nearest(provider.toLowerCase(), [...names, 'offline'])
    const hint = meant === undefined ? '.' : `; did you mean ${meant}${slash < 0 ? '' : name.slice(slash)}?`
    const list = [...names.map((known) => `${known}/MODEL`), 'offline', 'scripted:FILE'].join(', ')
    throw new ModelError('unavailable', `no provider is called '${provider}'${hint} There are ${list}.`)
  }
  const id = slash < 0 ? '' : name.slice(slash + 1)
  if (id === '')
    throw new ModelError('unavailable', `${name}: the model's name is missing: ${provider}/MODEL`)
  return [provider, id]
}

function isProvider(word: string): word is Provider {
  return names.includes(word)
}

/** The name with which a word shares most pairs of letters, if it shares half of its own. */
function openHosted(
  { name, provider, id }: { name: string; provider: HostedProvider; id: string },
  options: ModelOptions,
): Model {
  const { key: keyVariable, urlKey, url: ownUrl } = providers[provider]
  const url = options.urls?.[provider]?.trim() || ownUrl
  const key = options.keys?.[provider]?.trim() || undefined
  if (url === undefined) throw missing(name, urlKey ?? keyVariable)
  if (key === undefined && provider !== 'openai-compatible') throw missing(name, keyVariable)
  const known = knownModel(name)
  return hostedModel({
    name,
    provider,
    id,
    url: url.replace(/\/+$/, ''),
    key,
    variable: urlKey === undefined ? keyVariable : `${urlKey} and ${keyVariable}`,
    urlVariable: urlKey,
    contextTokens: options.contextTokens ?? known.contextTokens,
    price: options.price ?? known.price,
    idleMs: options.idleMs ?? IDLE_MS,
    now: options.now ?? systemClock,
  })
}

function missing(name: string, variable: string): ModelError {
  return new ModelError(
    'unavailable',
    `${name} needs ${variable}; set it in the environment or in the configuration`,
  )
}

function openOllama(name: string, id: string, options: ModelOptions): Model {
  return ollamaModel({
    name,
    id,
    url: hostUrl(options.urls?.ollama || providers.ollama.url || ''),
    key: options.keys?.ollama?.trim() || undefined,
    contextTokens: options.contextTokens ?? knownModel(name).contextTokens,
    idleMs: options.idleMs ?? IDLE_MS,
    now: options.now ?? systemClock,
    random: options.random ?? systemRandom,
  })
}

/** OLLAMA_HOST is often what the server listens on: no scheme, no port, or every address of the machine. */
function hostUrl(host: string): string {
  const url = /^https?:\/\//.test(host) ? host : `http://${host}`
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed) throw new ModelError('unavailable', `OLLAMA_HOST is no address: ${host}`)
  if (!/:\d+/.test(url.slice('https://'.length - 1)) && parsed.protocol === 'http:') parsed.port = '11434'
  if (parsed.hostname === '0.0.0.0') parsed.hostname = '127.0.0.1'
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '')
}
