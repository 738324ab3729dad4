import { existsSync } from 'node:fs'
import { oneLine } from '../base/width.ts'
import { sentence } from '../base/words.ts'
import { placeOf } from '../config/type/server-words.ts'
import type { ServerEntry } from '../config/type/tool-type.ts'
import { CONNECT_MS, type Noticed } from './connection.ts'
import type { ClientSdk } from './sdk.ts'

export interface Trouble {
  readonly sdk: ClientSdk
  readonly server: string
  readonly entry: ServerEntry
  readonly error: unknown
  readonly noticed: Noticed
}

const QUOTED_MAX = 300

/** Why a server cannot be reached, and what to do: two or three sentences for a person. */
export function troubleText(trouble: Trouble): string {
  const { entry, noticed } = trouble
  const { why, advice } = reasonOf(trouble)
  const noise = noticed.isNoisy ? ' It writes other things than MCP messages to its standard output.' : ''
  const written = lastLines(withoutSecrets(noticed.stderr, entry))
  const room = noticed.isBoxed === true ? ` ${boxWords(entry)}` : ''
  return `${sentence(why)}${noise}${written === '' ? '' : ` It wrote: ${sentence(written)}`}${room} ${advice}`
}

/** What it lacks in its box is often why it does not start. */
function boxWords(entry: ServerEntry): string {
  const { network = false, folders = [] } = 'url' in entry ? {} : entry
  const shown =
    folders.length === 0 ? 'no folders besides its own' : `its own folders and ${folders.join(', ')}`
  return `It ran in a box ${network ? 'with' : 'without'} network, and with ${shown}.`
}

function reasonOf(trouble: Trouble): Reason {
  const { sdk, entry, error, server, noticed } = trouble
  const setting = `mcp.servers.${server}`
  if (noticed.flood !== undefined) return { why: noticed.flood, advice: `Check it, or correct ${setting}.` }
  if (error instanceof sdk.StreamableHTTPError) return httpReason(error.code ?? -1, setting, trouble)
  if (error instanceof sdk.McpError && error.code === (sdk.ErrorCode.ConnectionClosed as number))
    return { why: 'it ended before it answered', advice: `Run it by hand to see why, or correct ${setting}.` }
  const known =
    'url' in entry ? networkReason(error, { url: entry.url, setting }) : programReason(error, entry, setting)
  if (known !== undefined) return known
  const it = 'url' in entry ? placeOf(entry.url) : 'it'
  const { name = '', message = String(error) } = error instanceof Error ? error : {}
  if (error instanceof SyntaxError || /^\$?ZodError$/.test(name))
    return { why: `${it} does not answer as an MCP server does`, advice: `Correct ${setting}.` }
  const said = oneLine(withoutSecrets(message, entry)).slice(0, QUOTED_MAX)
  const why = 'url' in entry ? `${it} cannot be used: ${said}` : said
  return { why, advice: `Check it, or correct ${setting}.` }
}

/** Our own words for a timeout, and those of the package. */
const LATE = /^it did not answer within|Request timed out$/

function programReason(
  error: unknown,
  { command, cwd }: Extract<ServerEntry, { command: string }>,
  setting: string,
): Reason | undefined {
  const code = codeOf(error)
  if (code === 'EACCES')
    return { why: `the program ${command} may not be run`, advice: 'Make it executable.' }
  if (code !== 'ENOENT') return undefined
  if (cwd !== undefined && !existsSync(cwd))
    return { why: `its folder ${cwd} does not exist`, advice: `Make it, or correct ${setting}.cwd.` }
  return { why: `the program ${command} was not found`, advice: `Install it, or correct ${setting}.` }
}

function httpReason(status: number, setting: string, { entry, error }: Trouble): Reason {
  const place = 'url' in entry ? placeOf(entry.url) : ''
  const isAsking = Object.keys('url' in entry ? (entry.headers ?? {}) : {}).length > 0
  if (status === 401 || status === 403) {
    const why = status === 401 ? `${place} requires a login` : `${place} refused the login`
    const headers = `${setting}.headers, such as Authorization`
    const advice = isAsking ? `Correct ${headers}.` : `Add it in ${headers}.`
    return { why: `${why} (HTTP ${status})`, advice }
  }
  const advice = `Correct ${setting}.url.`
  if (status === 404) return { why: `there is nothing at ${place} (HTTP 404)`, advice }
  if (status === 405) return { why: `what is at ${place} does not accept MCP messages (HTTP 405)`, advice }
  const said = oneLine(withoutSecrets((error as Error).message, entry)).slice(0, QUOTED_MAX)
  const why =
    status < 0 ? `${place} does not speak MCP: ${said}` : `${place} answered HTTP ${status}: ${said}`
  return { why, advice: `Check it, or correct ${setting}.` }
}

const LINES_SHOWN = 3

function lastLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return oneLine(lines.slice(-LINES_SHOWN).join(' ')).slice(-QUOTED_MAX)
}

const SECRET_MIN = 4

/** Servers often print their settings, so secrets are removed from what they wrote. */
export function withoutSecrets(text: string, entry: ServerEntry): string {
  const values = Object.values('url' in entry ? (entry.headers ?? {}) : (entry.env ?? {}))
  const words = values
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((one) => one.length >= SECRET_MIN)
  return words
    .toSorted((a, b) => b.length - a.length)
    .reduce((clean, word) => clean.replaceAll(word, '…'), text)
}

/** Why something failed, and what to do. */
interface Reason {
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
  const code = codeOf(error)
  const strange = strangeWords(error, code)
  if (strange !== undefined) return { why: `${place} ${strange}`, advice: `Correct ${setting}.url.` }
  if (code === undefined && error instanceof Error && LATE.test(error.message)) {
    const why = `${place} did not answer within ${CONNECT_MS / 1_000} s`
    return { why, advice: `Check it, or correct ${setting}.url.` }
  }
  if (code === undefined) return undefined
  if (Object.hasOwn(CERTIFICATE, code) || /CERT|^ERR_TLS|^ERR_SSL/.test(code)) {
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
  EHOSTUNREACH: 'no route to that host',
  ENETUNREACH: 'no route to that network',
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
  if (all.some(({ message }) => message === 'bad port')) return 'cannot be asked: its port is not a web port'
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

interface Cause {
  readonly name?: unknown
  readonly message?: unknown
  readonly code?: unknown
  readonly cause?: unknown
}

function codeOf(error: unknown): string | undefined {
  return causes(error).find((one): one is { readonly code: string } => typeof one.code === 'string')?.code
}

const CAUSES_MAX = 8

/** An error and its chain of causes: the error of fetch itself says only that it failed. */
function causes(error: unknown): readonly Cause[] {
  const all: Cause[] = []
  let one = error as Cause | undefined
  while (typeof one === 'object' && one !== null && all.length < CAUSES_MAX) {
    all.push(one)
    one = one.cause as Cause | undefined
  }
  return all
}
