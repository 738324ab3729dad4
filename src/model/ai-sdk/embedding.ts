import { assert } from '../../base/assert.ts'
import { fault, type Scene } from '../contract/fault.ts'
import { answerLimits, startWatch } from '../contract/watch.ts'
import { type EmbeddingProvider, loadProvider } from './providers.ts'

interface HostedEmbedding {
  readonly scene: Scene
  readonly provider: EmbeddingProvider
  /** The provider's name for the model. */
  readonly id: string
  /** Where the SDK finds it. */
  readonly url: string
}

/** Makes vectors of texts, in order; rejects with a ModelError. */
export type EmbeddingCall = (
  texts: readonly string[],
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
) => Promise<readonly (readonly number[])[]>

/** A model for vectors behind the AI SDK. Nothing of the SDK is loaded before the first call. */
export function hostedEmbedding({ scene, provider, id, url }: HostedEmbedding): EmbeddingCall {
  let loading: ReturnType<typeof load> | undefined
  return async (texts, { signal, timeoutMs }) => {
    loading ??= load(scene, provider)
    const [{ vectors }, { embedMany }] = await loading
    assert(vectors !== undefined, 'a provider of embeddings has them')
    const limits = { ...answerLimits, idleMs: timeoutMs, answerMs: timeoutMs }
    const watch = startWatch(scene, { signal, limits })
    try {
      const model = vectors(id, { url, key: scene.key, fetch: watch.fetch })
      const made = await watch.until(embedMany({ model, values: [...texts], maxRetries: 0 }))
      return made.embeddings
    } catch (error) {
      throw watch.fault(error)
    } finally {
      watch.stop()
    }
  }
}

async function load(scene: Scene, provider: EmbeddingProvider) {
  try {
    const loaded = await Promise.all([loadProvider(provider), import('ai')])
    globalThis.AI_SDK_LOG_WARNINGS = false
    return loaded
  } catch (cause) {
    throw fault('no-package', scene, { cause })
  }
}
