import { placeOf } from '../config/type/server-words.ts'

/** Why something failed, and what to do. */
export interface Reason {
  readonly why: string
  readonly advice: string
}

/**
 * Why a request got no answer, with the address; undefined if the network is not to blame. `setting` is the server's
 * place in the configuration: `mcp.servers.web`.
 */
export function networkReason(
  error: unknown,
  { url, setting }: { readonly url: string; readonly setting: string },
): Reason | undefined {
  const place = placeOf(url)
  const code = causes(error).find((one) => typeof one.code === 'string')?.code as string | undefined
  const strange = strangeWords(error, code)
  if (strange !== undefined) return { why: `${place} ${strange}`, advice: `Correct ${setting}.url.` }
  if (code === undefined) return undefined
  if (isCertificate(code)) {
    const why = `the certificate of ${new URL(url).host} is not trusted (${CERTIFICATE[code] ?? code}), so ${place} was not asked`
    return { why, advice: `Mend its certificate, or correct ${setting}.url.` }
  }
  const why = `nothing answers at ${place} (${SILENT[code] ?? code})`
  return { why, advice: `Start it, or correct ${setting}.url.` }
}

const SILENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
  ETIMEDOUT: 'it took too long to connect',
  UND_ERR_CONNECT_TIMEOUT: 'it took too long to connect',
  UND_ERR_HEADERS_TIMEOUT: 'it took too long to answer',
  UND_ERR_BODY_TIMEOUT: 'it took too long to answer',
  ECONNRESET: 'the connection was cut off',
  EPIPE: 'the connection was cut off',
  UND_ERR_SOCKET: 'the connection was cut off',
}

/** Something answers, but not an MCP server over HTTP. */
function strangeWords(error: unknown, code: string | undefined): string | undefined {
  const all = causes(error)
  if (all.some(({ message }) => message === 'bad port'))
    return 'cannot be asked: its port is kept for something else than the web'
  if (all.some(({ message }) => message === 'redirect count exceeded')) return 'sends every request elsewhere'
  if (all.some(({ name }) => name === 'HTTPParserError')) return 'does not speak HTTP'
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO')
    return 'does not speak TLS; with http:// in place of https:// it may answer'
  return undefined
}

const CERTIFICATE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'it is signed by somebody unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'it is signed by somebody unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'it is signed by somebody unknown',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host',
}

function isCertificate(code: string): boolean {
  return Object.hasOwn(CERTIFICATE, code) || /CERT|^ERR_TLS|^ERR_SSL/.test(code)
}

interface Cause {
  readonly name?: unknown
  readonly message?: unknown
  readonly code?: unknown
  readonly cause?: unknown
}

const CAUSES_MAX = 8

/** An error and its chain of causes: the error of fetch itself says only that it failed. */
export function causes(error: unknown): readonly Cause[] {
  const all: Cause[] = []
  let one = error as Cause | undefined
  while (typeof one === 'object' && one !== null && all.length < CAUSES_MAX) {
    all.push(one)
    one = one.cause as Cause | undefined
  }
  return all
}
