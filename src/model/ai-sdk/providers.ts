import type { LanguageModel } from 'ai'

export type HostedProvider = 'anthropic' | 'openai' | 'google' | 'openrouter' | 'openai-compatible'

interface Connection {
  readonly url: string
  readonly key: string | undefined
  readonly fetch: typeof globalThis.fetch
}

/** Makes the SDK's model of this name; cheap once loaded, so that each call can have its own `fetch`. */
export type Opener = (id: string, connection: Connection) => LanguageModel

/**
 * Loads one provider's code at its first call. URL and key are always passed: otherwise the packages look for them in
 * the environment.
 */
export async function loadProvider(provider: HostedProvider): Promise<Opener> {
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return (id, { url, key, fetch }) => createAnthropic({ baseURL: url, apiKey: key ?? '', fetch })(id)
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return (id, { url, key, fetch }) =>
        createOpenAI({ baseURL: url, apiKey: key ?? '', fetch }).responses(id)
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google')
      return (id, { url, key, fetch }) => createGoogle({ baseURL: url, apiKey: key ?? '', fetch })(id)
    }
    case 'openrouter': {
      const { createOpenRouter } = await import('@openrouter/ai-sdk-provider')
      return (id, { url, key, fetch }) =>
        createOpenRouter({ baseURL: url, apiKey: key ?? '', fetch, compatibility: 'strict' }).chat(id, {
          usage: { include: true },
        })
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return (id, { url, key, fetch }) =>
        createOpenAICompatible({
          name: 'openai-compatible',
          baseURL: url,
          ...(key !== undefined && { apiKey: key }),
          fetch,
          includeUsage: true,
        }).chatModel(id)
    }
  }
}
