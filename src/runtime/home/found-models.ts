import { z } from 'zod'
import type { ReadConfig } from '../../config/config.ts'
import type { Key } from '../../config/table/settings.ts'
import { modelName } from '../../config/type/domain-type.ts'
import { defaultModels } from '../../model/known-models.ts'
import { hostUrl } from '../../model/models.ts'

/** A model that could be used right away. */
export interface Found {
  readonly model: string
  /** The key or the server that it was found by. */
  readonly from: string
  /** Other settings that it needs. */
  readonly settings?: Partial<Record<Key, string>>
}

/** Servers that speak OpenAI's protocol at their usual addresses; `owner`: what each model must say it is owned by. */
export const localServers: readonly LocalServer[] = [
  { name: 'LM Studio', url: 'http://127.0.0.1:1234/v1' },
  // Anything may listen on this port.
  { name: 'llama.cpp', url: 'http://127.0.0.1:8080/v1', owner: /llama/i },
]

export interface LocalServer {
  readonly name: string
  readonly url: string
  readonly owner?: RegExp
}

/** What the keys and the local servers of this machine offer, in the order in which it is offered. */
export async function foundModels(config: ReadConfig, servers = localServers): Promise<Found[]> {
  const { urls, openaiCompatible } = config.values
  const { url } = openaiCompatible
  const others = url === null ? servers : [{ name: 'The server', url }]
  const local = [ollamaFound(urls.ollama), ...others.map((server) => serverFound(server, url === null))]
  return [...keysFound(config), ...(await Promise.all(local)).flat()]
}

function keysFound({ settingOf }: ReadConfig): Found[] {
  return Object.entries(defaultModels).flatMap(([provider, model]) => {
    const key = `keys.${provider}` as Key
    const { value, source } = settingOf(key)
    if (value === null) return []
    const from = source.kind === 'environment' || source.kind === 'env-file' ? source.name : key
    return [{ model, from }]
  })
}

const OLLAMA_URL = 'http://127.0.0.1:11434'

export async function ollamaFound(address: string | null): Promise<Found[]> {
  const url = hostUrl(address ?? OLLAMA_URL)
  const told = await answerOf(`${url}/api/tags`, tagsSchema)
  const models = (told?.models ?? []).map(({ name }) => `ollama/${name}`)
  return models.filter(canTalk).map((model) => ({ model, from: `Ollama at ${url}` }))
}

async function serverFound({ name, url, owner }: LocalServer, isNew: boolean): Promise<Found[]> {
  const told = await answerOf(`${url}/models`, modelsSchema)
  const models = (told?.data ?? [])
    .filter(({ owned_by }) => owner?.test(owned_by ?? '') ?? true)
    .map(({ id }) => `openai-compatible/${id}`)
  const settings = isNew && { settings: { 'openaiCompatible.url': url } }
  return models.filter(canTalk).map((model) => ({ model, from: `${name} at ${url}`, ...settings }))
}

/**
 * Models that only embed texts cannot answer. A name that is none for the setting is not offered: the page types it in a
 * command, where a line break would begin another one (SAFE4).
 */
function canTalk(model: string): boolean {
  return modelName.schema.safeParse(model).success && !/embed/i.test(model)
}

/** Anything may listen there, and answer anything. */
const MODELS_MAX = 1_000
const wordSchema = z.string().min(1).max(200)
const tagsSchema = z.object({ models: z.array(z.object({ name: wordSchema })).max(MODELS_MAX) })
const modelsSchema = z.object({
  data: z.array(z.object({ id: wordSchema, owned_by: z.string().optional().catch('') })).max(MODELS_MAX),
})

const WAIT_MS = 300

/** Undefined: nobody is there, or takes longer than a local server does, or sends us elsewhere. */
async function answerOf<Schema extends z.ZodType>(
  url: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(WAIT_MS), redirect: 'error' })
    return schema.parse(await response.json())
  } catch {
    return undefined
  }
}
