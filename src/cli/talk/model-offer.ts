import { readConfig, type ReadConfig } from '../../config/config.ts'
import type { Key } from '../../config/table/settings.ts'
import type { Place } from '../../config/table/source.ts'
import { setInFile } from '../../config/write.ts'
import { defaultModels } from '../../model/known-models.ts'
import type { Question } from '../frame/terminal-question.ts'

/** A model that could be used right away, and what was found for it. */
export interface Found {
  readonly model: string
  readonly because: string
}

/**
 * Where no model is configured, offers those that could be used and writes the choice to config.json, also the choice
 * to use none. Nothing is written when nothing was found, or nobody answered.
 */
export async function offerModel(place: Place, ask: Question): Promise<'done' | 'interrupted'> {
  const config = readConfig(place)
  if (config.values.model !== null) return 'done'
  const found = [...keysFound(config), ...(await ollamaFound(config.values.urls.ollama))]
  for (const { model, because } of found) {
    const answer = await ask(`${because} Use ${model}? [Y/n] `)
    if (answer === 'interrupted') return 'interrupted'
    if (answer.line === undefined) return 'done'
    if (/^\s*(?:y|yes)?\s*$/i.test(answer.line)) {
      setInFile(place, 'model', model)
      return 'done'
    }
  }
  if (found.length > 0) setInFile(place, 'model', 'offline')
  return 'done'
}

function keysFound({ settingOf }: ReadConfig): Found[] {
  return Object.entries(defaultModels).flatMap(([provider, model]) => {
    const key = `keys.${provider}` as Key
    const { value, source } = settingOf(key)
    if (value === null) return []
    const name = source.kind === 'environment' || source.kind === 'env-file' ? source.name : key
    return [{ model, because: `Found ${name}.` }]
  })
}

const OLLAMA_URL = 'http://127.0.0.1:11434'
const OLLAMA_WAIT_MS = 300

/** The newest model of an Ollama that answers at once. */
async function ollamaFound(address: string | null): Promise<Found[]> {
  const url = ollamaUrl(address ?? OLLAMA_URL)
  try {
    const response = await fetch(`${url}/api/tags`, { signal: AbortSignal.timeout(OLLAMA_WAIT_MS) })
    const { models } = (await response.json()) as { models: { name: string }[] }
    // Models that only embed texts cannot answer.
    const name = models.map(({ name }) => name).find((name) => !/embed/.test(name))
    return name === undefined ? [] : [{ model: `ollama/${name}`, because: `Found Ollama at ${url}.` }]
  } catch {
    // No Ollama is there, so there is nothing to offer.
    return []
  }
}

/** Completes an address without a scheme or port, or with 0.0.0.0 as its host. */
function ollamaUrl(address: string): string {
  const url = new URL(/^https?:\/\//i.test(address) ? address : `http://${address}`)
  if (url.port === '' && url.protocol === 'http:' && !/:80(?:\/|$)/.test(address)) url.port = '11434'
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}
