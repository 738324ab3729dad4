import { type ModelOptions, openEmbedding } from '../../model/models.ts'
import { ModelError } from '../../model/contract/model.ts'
import { type Embedder, EmbedderError } from '../contract/embedder.ts'
import { hostedEmbedder } from './hosted-embedder.ts'
import { STATIC_NAME, staticEncoder } from './static-encoder.ts'

/** The values of the setting `embedder`. */
type EmbedderChoice =
  | { readonly kind: 'static' }
  | { readonly kind: 'none' }
  | ({ readonly kind: 'hosted'; readonly name: string } & ReturnType<typeof openEmbedding>)
  | { readonly kind: 'unusable'; readonly because: string }

/** What ran all-MiniLM-L6-v2 within Mainstem. Homes that still name it start, and are told what to do. */
const RETIRED = /^minilm(?::|$)/
const INSTEAD =
  "The embedder 'minilm' is no longer part of Mainstem. The same model runs in Ollama: ollama pull all-minilm, " +
  `then mainstem models use ollama/all-minilm. Or use the built-in one: mainstem models use ${STATIC_NAME}`

export function embedderChoice(setting: string, options: ModelOptions): EmbedderChoice {
  if (setting === STATIC_NAME) return { kind: 'static' }
  if (setting === 'none') return { kind: 'none' }
  if (RETIRED.test(setting)) return { kind: 'unusable', because: INSTEAD }
  try {
    return { kind: 'hosted', name: setting, ...openEmbedding(setting, options) }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return { kind: 'unusable', because: error.message }
  }
}

/** The configured embedder; null for `none`. Throws an `EmbedderError` if it cannot be used now. */
export async function makeEmbedder(setting: string, options: ModelOptions): Promise<Embedder | null> {
  const choice = embedderChoice(setting, options)
  if (choice.kind === 'none') return null
  if (choice.kind === 'static') return staticEncoder()
  if (choice.kind === 'unusable') throw new EmbedderError(choice.because)
  return hostedEmbedder(choice)
}
