import type { Config } from './table/settings.ts'

/** What the provider that was chosen for web_search cannot do without, and is not set. */
export function searchNeeds({ web }: Pick<Config, 'web'>): 'web.searchKey' | 'web.searchUrl' | undefined {
  switch (web.searchProvider) {
    case 'brave':
    case 'tavily':
      return web.searchKey === null ? 'web.searchKey' : undefined
    case 'searxng':
      return web.searchUrl === null ? 'web.searchUrl' : undefined
    case 'none':
      return undefined
  }
}
