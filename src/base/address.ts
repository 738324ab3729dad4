import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Whether an address is of the public network: unicast, and reachable from everywhere. Addresses that stand for an IPv4
 * address are as public as that one is. What is no plain spelling of an address is not public.
 */
export function isPublic(ip: string): boolean {
  if (isIP(ip) === 4) return ipaddr.IPv4.parse(ip).range() === 'unicast'
  // A zone names an interface of this machine.
  return isIP(ip) === 6 && !ip.includes('%') && isPublicV6(ipaddr.IPv6.parse(ip))
}

/**
 * Whether a URL's host is this machine or on a private network, as far as its name tells without looking it up: an
 * address, or a name that no public server can have.
 */
export function isPrivateHost(host: string): boolean {
  const name = host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  return isIP(name) === 0 ? PRIVATE_NAME.test(name) : PRIVATE_RANGES.has(ipaddr.process(name).range())
}

/** An address or a range of them, such as `10.0.0.0/8`; undefined: neither. */
export function rangeOf(text: string): readonly [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  if (isIP(text) === 0) return undefined
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

export function isWithin(ip: string, ranges: readonly string[]): boolean {
  if (isIP(ip) === 0) return false
  const address = ipaddr.process(ip)
  return ranges.some((text) => {
    const [first, bits] = rangeOf(text) ?? []
    if (first === undefined || bits === undefined || first.kind() !== address.kind()) return false
    return address.match(first, bits)
  })
}

/** What one sender has: an IPv4 address, or the 64 bits of IPv6 within which addresses are free to choose. */
export function neighbourhoodOf(ip: string): string {
  if (isIP(ip) === 0) return ip
  const address = ipaddr.process(ip)
  return address.kind() === 'ipv4'
    ? address.toString()
    : Buffer.from(address.toByteArray().slice(0, 8)).toString('hex')
}

const PRIVATE_RANGES: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'uniqueLocal',
  'linkLocal',
  // Shared by machines behind one provider or one VPN, and unreachable from elsewhere.
  'carrierGradeNat',
  // Connects to this machine.
  'unspecified',
])

/** A name without a dot, or under a domain that is reserved for networks of one's own. */
const PRIVATE_NAME = /^(?:[^.]+|.+\.(?:localhost|local|internal|lan|home\.arpa))$/

function isPublicV6(address: ipaddr.IPv6): boolean {
  const bytes = address.toByteArray()
  const inside = embeddedIn(bytes)
  // Of all IPv6 only 2000::/3 has been given out as global unicast.
  if (inside === undefined && !(address.range() === 'unicast' && (bytes[0] ?? 0) >> 5 === 1)) return false
  const behind = [...(inside ?? []), ...tunnelEndIn(bytes)]
  return behind.every((octets) => new ipaddr.IPv4(octets).range() === 'unicast')
}

type Octets = number[]

/** The IPv4 addresses that traffic to this one would go to, where it is one of the forms that hold some. */
function embeddedIn(bytes: Octets): readonly Octets[] | undefined {
  const last = bytes.slice(12)
  if (VIA_LAST.some((prefix) => beginsWith(bytes, prefix))) return [last]
  if (beginsWith(bytes, SIX_TO_FOUR)) return [bytes.slice(2, 6)]
  if (beginsWith(bytes, TEREDO)) return [bytes.slice(4, 8), last.map((byte) => byte ^ 0xff)]
  return undefined
}

/** ISATAP, under any prefix: `5efe` in the middle of the second half, and behind it where the tunnel ends. */
function tunnelEndIn(bytes: Octets): readonly Octets[] {
  const [flags = 0, ...rest] = bytes.slice(8, 12)
  // Two bits of the first only say for how many such a number is meant, and where it is unique.
  const isTunnel = (flags & 0xfc) === 0 && beginsWith(rest, [0, 0x5e, 0xfe])
  return isTunnel ? [bytes.slice(12)] : []
}

const ZEROS = (count: number): Octets => Array.from({ length: count }, () => 0)

const VIA_LAST: readonly Octets[] = [
  // ::ffff:a.b.c.d, mapped
  [...ZEROS(10), 0xff, 0xff],
  // ::a.b.c.d, compatible
  ZEROS(12),
  // ::ffff:0:a.b.c.d, translated
  [...ZEROS(8), 0xff, 0xff, 0, 0],
  // 64:ff9b::a.b.c.d, NAT64
  [0, 0x64, 0xff, 0x9b, ...ZEROS(8)],
]
const SIX_TO_FOUR: Octets = [0x20, 0x02]
const TEREDO: Octets = [0x20, 0x01, 0, 0]

function beginsWith(bytes: Octets, prefix: Octets): boolean {
  return prefix.every((byte, place) => bytes[place] === byte)
}
