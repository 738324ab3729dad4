import { join } from 'node:path'
import { type Embedder, EmbedderError } from '../contract/embedder.ts'
import { STATIC_NAME, staticEncoder } from './static-encoder.ts'

/** The values of the setting `embedder`. */
type EmbedderChoice =
  | { readonly kind: 'static' }
  | { readonly kind: 'minilm'; readonly directory: string }
  | { readonly kind: 'none' }

export const MINILM_NAME = 'all-MiniLM-L6-v2'
const MINILM = 'minilm'
const MINILM_AT = `${MINILM}:`

/** The folder that `mainstem models pull` writes to. */
export function miniLmDirectory(home: string): string {
  return join(home, 'models', MINILM_NAME)
}

export function embedderChoice(setting: string, home: string): EmbedderChoice {
  if (setting === STATIC_NAME) return { kind: 'static' }
  if (setting === 'none') return { kind: 'none' }
  if (setting === MINILM) return { kind: 'minilm', directory: miniLmDirectory(home) }
  if (setting.startsWith(MINILM_AT)) return { kind: 'minilm', directory: setting.slice(MINILM_AT.length) }
  throw new EmbedderError(`unknown embedder ${JSON.stringify(setting)}. 'mainstem models list' lists them`)
}

/** The configuration value for a directory with a model. */
export function miniLmSetting(directory: string): string {
  return `${MINILM_AT}${directory}`
}

/** The configured embedder; null for `none`. Throws an `EmbedderError` if its files are missing. */
export async function makeEmbedder(setting: string, home: string): Promise<Embedder | null> {
  const choice = embedderChoice(setting, home)
  if (choice.kind === 'none') return null
  if (choice.kind === 'static') return staticEncoder()
  const { openMiniLm } = await import('./minilm.ts')
  return openMiniLm(choice.directory)
}
