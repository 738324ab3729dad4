import type { EmbeddingModel, LanguageModel } from 'ai'

export type HostedProvider = 'anthropic' | 'openai' | 'google' | 'openrouter' | 'openai-compatible'
/** Anthropic has no models for vectors. */
export type EmbeddingProvider = Exclude<HostedProvider, 'anthropic'>

interface Connection {
  readonly url: string
  readonly key: string | undefined
  readonly fetch: typeof globalThis.fetch
}

/** Makes the SDK's models of this name; cheap once loaded, so that each call can have its own `fetch`. */
export interface Opener {
  readonly chat: (id: string, connection: Connection) => LanguageModel
  readonly vectors?: (id: string, connection: Connection) => EmbeddingModel
}

/**
 * Loads one provider's code at its first call. URL and key are always passed: otherwise the packages look for them in
 * the environment.
 */
export async function loadProvider(provider: HostedProvider): Promise<Opener> {
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return {
        chat: (id, { url, key, fetch }) => createAnthropic({ baseURL: url, apiKey: key ?? '', fetch })(id),
      }
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      const at = ({ url, key, fetch }: Connection) => createOpenAI({ baseURL: url, apiKey: key ?? '', fetch })
      return { chat: (id, to) => at(to).responses(id), vectors: (id, to) => at(to).embeddingModel(id) }
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google')
      const at = ({ url, key, fetch }: Connection) => createGoogle({ baseURL: url, apiKey: key ?? '', fetch })
      return { chat: (id, to) => at(to)(id), vectors: (id, to) => at(to).embeddingModel(id) }
    }
    case 'openrouter': {
      const { createOpenRouter } = await import('@openrouter/ai-sdk-provider')
      const at = ({ url, key, fetch }: Connection) =>
        createOpenRouter({ baseURL: url, apiKey: key ?? '', fetch, compatibility: 'strict' })
      return {
        chat: (id, to) => at(to).chat(id, { usage: { include: true } }),
        vectors: (id, to) => at(to).textEmbeddingModel(id),
      }
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const at = ({ url, key, fetch }: Connection) =>
        createOpenAICompatible({
          name: 'openai-compatible',
          baseURL: url,
          ...(key !== undefined && { apiKey: key }),
          fetch,
          includeUsage: true,
        })
      return { chat: (id, to) => at(to).chatModel(id), vectors: (id, to) => at(to).embeddingModel(id) }
    }
  }
}
