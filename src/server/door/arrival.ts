import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isWithin, neighbourhoodOf } from '../../base/address.ts'
import { Refusal, type Reach } from '../contract/route.ts'
import { isView } from './pages.ts'

/** What a browser calls us: the origin of our pages, by the Host header of requests to them. */
export interface OwnNames {
  readonly local: ReadonlyMap<string, string>
  readonly public: ReadonlyMap<string, string>
}

export function ownNames(port: number, publicUrl: string | null): OwnNames {
  const locals = ['localhost', '127.0.0.1', '[::1]'].map((name) => new URL(`http://${name}:${port}`))
  const publics = publicUrl === null ? [] : [new URL(publicUrl)]
  return { local: new Map(locals.flatMap(hostsOf)), public: new Map(publics.flatMap(hostsOf)) }
}

/** A Host header may leave out the usual port, or say it. */
function hostsOf({ host, hostname, port, protocol, origin }: URL): [string, string][] {
  const usual = protocol === 'https:' ? 443 : 80
  return [[host, origin], ...(port === '' ? [[`${hostname}:${usual}`, origin] as [string, string]] : [])]
}

const HEADERS_MAX = 64

/** Twice, these would mean one thing to us and another to a proxy. */
const ONCE = new Set([
  'host',
  'origin',
  'authorization',
  'cookie',
  'content-length',
  'content-type',
  'sec-fetch-site',
])

/**
 * Refuses what a browser sends for somebody else's page, before anything looks at it. A page whose name leads to this
 * machine (DNS rebinding) has a foreign Host; a page of another site, or of another port, has a foreign Origin or a
 * foreign Sec-Fetch-Site. X-Forwarded headers say nothing about our name: anybody can send them.
 */
export function reachOf(
  request: Pick<IncomingMessage, 'url' | 'rawHeaders' | 'headers'>,
  names: OwnNames,
): Reach {
  const { url = '', rawHeaders, headers } = request
  if (rawHeaders.length / 2 > HEADERS_MAX)
    throw new Refusal(431, `A request has at most ${HEADERS_MAX} headers.`)
  if (!isPlain(url)) throw new Refusal(400, 'The address is not a path of plain letters.')
  const given = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const twice = given.find((name, index) => ONCE.has(name) && given.indexOf(name) !== index)
  if (twice !== undefined) throw new Refusal(400, `The header ${twice} is there twice.`)
  const host = headers.host?.toLowerCase() ?? ''
  const reach = names.local.has(host) ? 'local' : 'public'
  const origin = names[reach].get(host)
  if (origin === undefined) throw new Refusal(403, foreignHost(names))
  if (headers.origin !== undefined && headers.origin !== origin)
    throw new Refusal(403, `Pages of other sites may not call this server. This one calls itself ${origin}.`)
  const site = headers['sec-fetch-site'] ?? 'none'
  if (site !== 'same-origin' && site !== 'none' && !isVisit(request))
    throw new Refusal(403, 'Pages of other sites may not call this server.')
  return reach
}

/**
 * Whether an address has one reading, so that the address that is judged is the one that is routed (DOOR6). One with a
 * host of its own would be another's; a backslash is a slash to some; dots, a second slash, and letters or slashes that
 * are spelled in percent become another path for whoever resolves or decodes them, and a second time for whoever does
 * that twice.
 */
function isPlain(url: string): boolean {
  const [path = ''] = url.split('?', 1)
  const isText = /^\/[!"$-[\]-~]*$/.test(url)
  return (
    isText &&
    !/\/\/|\/\.{1,2}(?:\/|$)|%(?:2[def]|3\d|[46][1-9a-f]|[57][\da]|5[cf]|7e|(?![\da-f]{2}))/i.test(path)
  )
}

/** Somebody follows a link to our page, which shows nothing by itself. The cookie is not sent with it. */
function isVisit({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  return isView(url) && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}

/**
 * Who sends a request, for bounds of each sender. Each proxy adds whom it heard to the end of X-Forwarded-For, so it is
 * read from there, as long as who added it is trusted; what stands before that is the sender's own invention.
 */
export function addressOf(
  {
    socket,
    headers,
  }: { readonly socket: { readonly remoteAddress?: string | undefined } } & Pick<IncomingMessage, 'headers'>,
  trustedProxies: readonly string[],
): string {
  const told = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').toReversed()
  let address = socket.remoteAddress ?? ''
  for (const before of told.map((text) => text.trim())) {
    if (!isWithin(address, trustedProxies) || isIP(before) === 0) break
    address = before
  }
  return neighbourhoodOf(address)
}

function foreignHost({ local }: OwnNames): string {
  const [origin] = local.values()
  return `This server does not answer to that name, only to ${origin}. For another one, set publicUrl (MAINSTEM_PUBLIC_URL), and have the proxy pass on the Host header.`
}
