import { isIP } from 'node:net'
import { isPublic } from '../../base/address.ts'

const LENGTH_MAX = 4_000
const QUOTED_MAX = 80

/** The address that a text means, made plain, or why it is none that is ever asked. */
export function readAddress(text: string, base?: URL): { readonly url: URL } | { readonly refused: string } {
  const trimmed = text.trim()
  if (trimmed.length > LENGTH_MAX) return { refused: `The address is longer than ${LENGTH_MAX} characters.` }
  const url = URL.parse(trimmed, base?.href)
  const quoted = `'${trimmed.slice(0, QUOTED_MAX)}'`
  if (url === null)
    return { refused: `${quoted} is not an address. Write it whole, such as https://example.com/.` }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { refused: `${quoted} does not begin with http:// or https://; nothing else is fetched.` }
  if (url.username !== '' || url.password !== '')
    return { refused: 'The address has a name or password in it. Leave them out.' }
  // A star would be a glob in what a person allows for ever.
  if (isIP(hostOf(url)) === 0 && !/^[\w-]+(?:\.[\w-]+)*$/.test(hostOf(url)))
    return { refused: `'${url.hostname.slice(0, QUOTED_MAX)}' is not a host name.` }
  url.hash = ''
  return { url }
}

/** Without the brackets of IPv6 and the dot that only says that the name is whole. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

/** The same host and port, with or without `www.`; encryption may be gained on the way, never lost. */
export function isSameSite(from: URL, to: URL): boolean {
  if (withoutWww(from) !== withoutWww(to)) return false
  if (from.protocol === to.protocol) return portOf(from) === portOf(to)
  return to.protocol === 'https:' && portOf(from) === 80 && portOf(to) === 443
}

function withoutWww(url: URL): string {
  return hostOf(url).replace(/^www\./, '')
}

/** How a person's word lets a host be reached: not by itself, at any web port, or at this very port. */
export type Grant = 'none' | 'host' | 'port'

export function grantFor(url: URL, privateHosts: readonly string[]): Grant {
  const grants = privateHosts.map((entry) => grantIn(entry, url))
  return grants.find((grant) => grant === 'port') ?? grants.find((grant) => grant === 'host') ?? 'none'
}

/** An entry is `nas.local`, `nas.local:8080`, `192.168.1.2`, `[fd00::1]:8080` or `fd00::1`. */
function grantIn(entry: string, url: URL): Grant {
  const isBareV6 = isIP(entry) === 6
  const port = isBareV6 ? undefined : /:(\d{1,5})$/.exec(entry)?.[1]
  const meant = URL.parse(`http://${isBareV6 ? `[${entry}]` : entry}`)
  if (meant === null || meant.pathname !== '/' || hostOf(meant) !== hostOf(url)) return 'none'
  if (port === undefined) return 'host'
  return Number(port) === portOf(url) ? 'port' : 'none'
}

/** Why an address is not asked, as far as that can be told without looking up its host. */
export function refusalOf(url: URL, grant: Grant): string | undefined {
  const port = portOf(url)
  if (grant !== 'port' && (port === 0 || FOREIGN_PORTS.has(port)))
    return `Refused: port ${port} is not a web port.`
  const host = hostOf(url)
  if (grant === 'none' && isIP(host) !== 0 && !isPublic(host)) return notPublic(host)
  return undefined
}

export function notPublic(host: string): string {
  return `${host} is not on the public network, so it is not reached. A person can allow it in web.privateHosts.`
}

/** Where other protocols listen that a request could be mistaken for; browsers refuse most of them too. */
const FOREIGN_PORTS: ReadonlySet<number> = new Set(
  [
    '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113',
    '115 117 119 123 135 137 139 143 161 179 389 427 445 465 512 513 514 515 526 530 531 532 540 548',
    '554 556 563 587 601 636 873 989 990 993 995 1433 1521 1719 1720 1723 2049 2375 3306 3389 3659',
    '4045 4190 5060 5061 5432 5900 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 10080 11211',
    '27017',
  ]
    .join(' ')
    .split(' ')
    .map(Number),
)

const ADDRESSES_MAX = 300
/** They stay in the log for ever. */
const ADDRESSES_CHARS_MAX = 32_000
const WHOLE = /\bhttps?:\/\/[^\s<>"'`]+/gi
/** As people write it: `example.com/news`. */
const BARE = /(?<![\w@/.:-])(?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?(?:[/?#][^\s<>"'`]*)?/gi
/** What ends a sentence or a bracket around an address, and may be part of one. */
const TRAILING = /[.,;:!?)\]}*_~…’”»]+$/u

/** The addresses in a text, made plain, each once. `bare`: also those without `https://`. */
export function addressesOf(text: string, forms: 'whole' | 'bare'): string[] {
  const whole = text.match(WHOLE) ?? []
  const bare = forms === 'whole' ? [] : (text.match(BARE) ?? [])
  const written = [...whole, ...bare.flatMap((one) => [`https://${one}`, `http://${one}`])].slice(
    0,
    2 * ADDRESSES_MAX,
  )
  return plainAddresses(written.flatMap((one) => [one, one.replace(TRAILING, '')]))
}

/** Those that may be asked, made plain, each once. `base`: where they stand. */
export function plainAddresses(written: readonly string[], base?: URL): string[] {
  const found = new Set<string>()
  let chars = 0
  for (const one of written) {
    const read = readAddress(one, base)
    if (!('url' in read) || found.has(read.url.href)) continue
    chars += read.url.href.length
    if (found.size >= ADDRESSES_MAX || chars > ADDRESSES_CHARS_MAX) break
    found.add(read.url.href)
  }
  return [...found]
}

/** Whether a host is one of these, or below one: `en.wikipedia.org` is below `wikipedia.org`. */
export function isHostIn(href: string, hosts: readonly string[]): boolean {
  const url = URL.parse(href)
  if (url === null || url.port !== '') return url !== null && hosts.includes(url.host)
  const host = hostOf(url)
  return hosts.some((one) => host === one || host.endsWith(`.${one}`))
}
