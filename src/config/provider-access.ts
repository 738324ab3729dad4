import type { Provider } from './type/domain-type.ts'
import type { Config } from './table/settings.ts'

/** Keys and addresses by provider, as models take them. */
export interface ProviderAccess {
  readonly keys: Readonly<Record<Provider, string | undefined>>
  readonly urls: Readonly<Record<Provider, string | undefined>>
}

export function providerAccess({ keys, urls, openaiCompatible }: Config): ProviderAccess {
  return {
    keys: { ...withoutNull(keys), 'openai-compatible': openaiCompatible.key ?? undefined },
    urls: { ...withoutNull(urls), 'openai-compatible': openaiCompatible.url ?? undefined },
  }
}

function withoutNull<Name extends string>(
  values: Readonly<Record<Name, string | null>>,
): Record<Name, string | undefined> {
  const entries = Object.entries<string | null>(values).map(([name, value]) => [name, value ?? undefined])
  return Object.fromEntries(entries) as Record<Name, string | undefined>
}
