import { z } from 'zod'
import { plainLine } from '../../base/entities.ts'
import { singleSpaced } from '../../base/words.ts'
import type { WebRequest } from './guarded-request.ts'

export type ProviderName = 'brave' | 'tavily' | 'searxng'

export interface Found {
  readonly title: string
  readonly url: string
  readonly snippet: string
}

export interface Query {
  readonly query: string
  readonly count: number
}

export interface Access {
  /** Where it is, without the path of a search. */
  readonly base: string
  readonly key: string
}

/** A service that searches the web: how it is asked, and what it says. */
export interface SearchProvider {
  /** Undefined: everybody has one of their own. */
  readonly base: string | undefined
  readonly needsKey: boolean
  request(query: Query, access: Access): WebRequest
  /** Undefined: it is not what this provider answers. */
  read(json: unknown): readonly Found[] | undefined
  /** What its statuses mean where they are not what they usually do. */
  readonly statuses: Readonly<Record<number, 'key' | 'spent' | 'json-off'>>
}

const word = z.string().catch('')
const braveSchema = z.object({
  type: word,
  /** Left out where nothing was found. */
  web: z
    .object({ results: z.array(z.object({ title: word, url: word, description: word })) })
    .exactOptional(),
})
const plainSchema = z.object({ results: z.array(z.object({ title: word, url: word, content: word })) })

/** Its texts are HTML: words that fit are in bold. */
const brave: SearchProvider = {
  base: 'https://api.search.brave.com',
  needsKey: true,
  request: ({ query, count }, { base, key }) => ({
    url: under(base, '/res/v1/web/search', { q: query, count: String(count) }),
    headers: { accept: 'application/json', 'x-subscription-token': key },
  }),
  read: (json) => {
    const read = braveSchema.safeParse(json)
    if (!read.success || (read.data.web === undefined && read.data.type !== 'search')) return undefined
    return (read.data.web?.results ?? []).map(({ title, url, description }) => ({
      title: plainLine(title),
      url,
      snippet: plainLine(description),
    }))
  },
  statuses: { 422: 'key' },
}

const tavily: SearchProvider = {
  base: 'https://api.tavily.com',
  needsKey: true,
  request: ({ query, count }, { base, key }) => ({
    url: under(base, '/search', {}),
    headers: { accept: 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query, max_results: count }),
  }),
  read: readPlain,
  statuses: { 432: 'spent', 433: 'spent' },
}

const searxng: SearchProvider = {
  base: undefined,
  needsKey: false,
  request: ({ query }, { base }) => ({
    url: under(base, '/search', { q: query, format: 'json' }),
    headers: { accept: 'application/json' },
  }),
  read: readPlain,
  statuses: { 403: 'json-off' },
}

export const searchProviders: Readonly<Record<ProviderName, SearchProvider>> = { brave, tavily, searxng }

function readPlain(json: unknown): readonly Found[] | undefined {
  const read = plainSchema.safeParse(json)
  if (!read.success) return undefined
  return read.data.results.map(({ title, url, content }) => ({
    title: singleSpaced(title),
    url,
    snippet: singleSpaced(content),
  }))
}

/** An address that already has the path is taken as it is. */
function under(base: string, path: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(base)
  const own = url.pathname.replace(/\/+$/, '')
  url.pathname = own.endsWith(path) ? own : `${own}${path}`
  url.search = new URLSearchParams(query).toString()
  return url
}
