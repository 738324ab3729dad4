import type { ReadConfig } from './config.ts'
import type { Key } from './table/settings.ts'
import { sourceText } from './table/source.ts'

export type ConfigSources = Pick<ReadConfig, 'values' | 'sourceOf'>

/** Keys and addresses by provider, as models take them. */
export function providerAccess({ values, sourceOf }: ConfigSources) {
  const { keys, urls, openaiCompatible } = values
  const origin = (key: Key): string => `\`${key}\` from ${sourceText(sourceOf(key))}`
  const origins = Object.keys(urls).map((name) => [name, origin(`urls.${name}` as Key)])
  return {
    keys: { ...withoutNull(keys), 'openai-compatible': openaiCompatible.key ?? undefined },
    urls: { ...withoutNull(urls), 'openai-compatible': openaiCompatible.url ?? undefined },
    compatiblePrice: openaiCompatible.price,
    /** Where each address was set, in words. */
    urlOrigins: {
      ...(Object.fromEntries(origins) as Record<keyof typeof urls, string>),
      'openai-compatible': origin('openaiCompatible.url'),
    },
  }
}

function withoutNull<Name extends string>(
  values: Readonly<Record<Name, string | null>>,
): Record<Name, string | undefined> {
  const entries = Object.entries<string | null>(values).map(([name, value]) => [name, value ?? undefined])
  return Object.fromEntries(entries) as Record<Name, string | undefined>
}
