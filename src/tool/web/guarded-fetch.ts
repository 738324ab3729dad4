import type { Body } from './body.ts'
import { grantOf } from './connection.ts'
import { guardedRequest, withinTime, type Answer, type Reach } from './guarded-request.ts'
import { hostOf, isSameSite, readAddress, refusalOf } from './web-address.ts'
import { WebError } from './web-error.ts'

export type Fetched =
  | ({ readonly kind: 'page'; readonly url: URL; readonly body: Body } & Pick<Answer, 'status' | 'headers'>)
  /** A redirect to another host, which was not requested. */
  | { readonly kind: 'elsewhere'; readonly to: URL }

const REDIRECTS_MAX = 5
const MOVED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The page at an address, also after redirects within its own site. Throws a WebError for all that goes wrong. */
export function guardedFetch(start: URL, reach: Reach): Promise<Fetched> {
  return withinTime(start, reach, (signal) => followed(start, { ...reach, signal }))
}

async function followed(start: URL, reach: Reach): Promise<Fetched> {
  let url = start
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const answer = await guardedRequest({ url }, reach)
    const { status, headers } = answer
    const location = MOVED.has(status) ? headers.location : undefined
    if (location === undefined) return { kind: 'page', url, status, headers, body: await answer.body() }
    answer.drop()
    const to = targetOf(location, url, reach)
    if (!isSameSite(url, to)) return { kind: 'elsewhere', to }
    url = to
  }
  throw new WebError(`${hostOf(start)} redirects more than ${REDIRECTS_MAX} times in a row.`)
}

/** The error does not repeat the server's redirect target: readers would take it for our own words. */
function targetOf(location: string, from: URL, { trust }: Reach): URL {
  const read = readAddress(headerText(location), from)
  const refused =
    'url' in read ? refusalOf(read.url, grantOf(read.url, trust)) : 'Its target is not a web address.'
  if ('url' in read && refused === undefined) return read.url
  throw new WebError(`${hostOf(from)} redirects to an address that is not fetched. ${refused ?? ''}`)
}

/** Headers come as one character per byte, and browsers take them for UTF-8 where they can be. */
function headerText(header: string): string {
  const text = Buffer.from(header, 'latin1').toString()
  return text.includes('\u{fffd}') ? header : text
}
