import { parsedJson } from '../../base/json.ts'
import { cutText } from '../../base/words.ts'
import { z } from 'zod'
import { fence } from '../../event/fence.ts'
import { defineTool } from '../define-tool.ts'
import { builtIn, failed, ok, type Tool, type ToolResult } from '../tool.ts'
import { systemNetwork } from './connection.ts'
import { guardedRequest, webLimits, withinTime, type Reach } from './guarded-request.ts'
import {
  searchProviders,
  type Access,
  type Found,
  type ProviderName,
  type Query,
  type SearchProvider,
} from './search-provider.ts'
import { hostOf, plainAddresses } from './web-address.ts'
import { WebError } from './web-error.ts'

const COUNT = 5
const COUNT_MAX = 10
const QUERY_MAX = 400
const TITLE_MAX = 200
const URL_MAX = 1_000
const SNIPPET_MAX = 500

const argumentsSchema = z.strictObject({
  query: z.string().trim().min(1).max(QUERY_MAX).describe('What you would type into a search box'),
  count: z.int().min(1).max(COUNT_MAX).describe('How many results').exactOptional(),
})

export interface SearchSettings {
  readonly provider: ProviderName | 'none'
  readonly key: string | null
  /** Where the provider is; null: its own place. */
  readonly url: string | null
}

/** Searches the web by whom a person chose; what is found is fenced (SAFE2). */
export function webSearchTool(
  settings: () => SearchSettings,
  { network = systemNetwork, limits = webLimits }: Partial<Reach> = {},
): Tool {
  return defineTool({
    name: 'web_search',
    description:
      'Search the web. Each result has a title, an address and a few lines; `web_fetch` reads the page.',
    schema: argumentsSchema,
    usage: `Usage: web_search {"query": up to ${QUERY_MAX} characters, "count"?: 1 to ${COUNT_MAX}}.`,
    nature: builtIn('reaches', {
      subjectOf: (args) => (typeof args['query'] === 'string' ? args['query'] : ''),
    }),
    run: async ({ query, count = COUNT }, { signal }) => {
      const chosen = chosenBy(settings())
      if ('missing' in chosen) return failed(chosen.missing)
      const reach: Reach = { network, limits, signal, trust: 'chosen-by-a-person' }
      try {
        return foundResult(await search(chosen, { query, count }, reach), chosen.name, count)
      } catch (error) {
        if (error instanceof WebError) return failed(error.message)
        throw error
      }
    },
  })
}

interface Chosen {
  readonly name: ProviderName
  readonly provider: SearchProvider
  readonly access: Access
}

function chosenBy({ provider: name, key, url }: SearchSettings): Chosen | { readonly missing: string } {
  if (name === 'none')
    return { missing: 'No search provider is set. A person sets it in web.searchProvider.' }
  const provider = searchProviders[name]
  const base = url ?? provider.base
  if (base === undefined) return { missing: `${name} needs a URL. A person sets it in web.searchUrl.` }
  if (provider.needsKey && key === null)
    return { missing: `${name} needs a key. A person sets it in web.searchKey.` }
  return { name, provider, access: { base, key: key ?? '' } }
}

/** Redirects are not followed, so the key goes to the provider and nowhere else. */
async function search(chosen: Chosen, query: Query, reach: Reach): Promise<readonly Found[]> {
  const { name, provider, access } = chosen
  const wanted = provider.request(query, access)
  return withinTime(wanted.url, reach, async (signal) => {
    const answer = await guardedRequest(wanted, { ...reach, signal })
    if (answer.status !== 200) {
      answer.drop()
      throw new WebError(statusWords(chosen, answer.status, hostOf(wanted.url)))
    }
    const { bytes, isCut } = await answer.body()
    const found = isCut ? undefined : provider.read(parsedJson(bytes.toString()))
    if (found !== undefined) return found
    throw new WebError(`${hostOf(wanted.url)} did not answer as ${name} does. Check web.searchUrl.`)
  })
}

/** What the provider itself says is not repeated: some repeat the key. */
function statusWords({ name, provider }: Chosen, status: number, host: string): string {
  const words = {
    key: ': it does not accept the key, or not for this. A person sets it in web.searchKey.',
    'json-off': `: it returns no JSON. The admin of ${host} can allow it in settings.yml, under search: formats.`,
    spent: ': the searches of its plan are used up.',
    busy: ': too many searches at once. Try again in a while.',
    down: ': it has trouble of its own. Try again later.',
    other: ', and no results. Check web.searchUrl.',
  }
  return `${name} answered ${status}${words[provider.statuses[status] ?? meaningOf(status)]}`
}

function meaningOf(status: number): 'key' | 'spent' | 'busy' | 'down' | 'other' {
  if (status === 401 || status === 403) return 'key'
  if (status === 402) return 'spent'
  if (status === 429) return 'busy'
  return status >= 500 ? 'down' : 'other'
}

function foundResult(found: readonly Found[], name: ProviderName, count: number): ToolResult {
  const shown = found.filter(({ url }) => /^https?:\/\//i.test(url) && url.length <= URL_MAX).slice(0, count)
  if (shown.length === 0) return ok('Nothing was found. Try other words.')
  const lines = shown.map(
    ({ title, url, snippet }, index) =>
      `${index + 1}. ${cutText(title, TITLE_MAX)}\n${url}\n${cutText(snippet, SNIPPET_MAX)}`,
  )
  const links = plainAddresses(shown.map(({ url }) => url))
  return { ...ok(fence(`search ${name}`, lines.join('\n\n'))), links }
}
