import type { Config } from './table/settings.ts'

/** The setting that the chosen search provider needs and that is not set. */
export function searchNeeds({ web }: Pick<Config, 'web'>): 'web.searchKey' | 'web.searchUrl' | undefined {
  if (web.searchProvider === 'none') return undefined
  const need = web.searchProvider === 'searxng' ? 'searchUrl' : 'searchKey'
  return web[need] === null ? `web.${need}` : undefined
}
