import { existsSync } from 'node:fs'
import { oneLine } from '../base/width.ts'
import { sentence } from '../base/words.ts'
import type { ServerEntry } from '../config/tool-type.ts'
import type { Noticed } from './connection.ts'
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
  const {
    entry,
    noticed: { stderr, isNoisy },
  } = trouble
  const { why, advice } = reasonOf(trouble)
  const noise = isNoisy ? ' It writes to its standard output what is no MCP message.' : ''
  const written = lastLines(withoutSecrets(stderr, entry))
  return `${sentence(why)}${noise}${written === '' ? '' : ` It wrote: ${sentence(written)}`} ${advice}`
}

interface Reason {
  readonly why: string
  readonly advice: string
}

function reasonOf(trouble: Trouble): Reason {
  const { sdk, entry, error, server, noticed } = trouble
  const setting = `mcp.servers.${server}`
  if (noticed.flood !== undefined) return { why: noticed.flood, advice: `See to it, or correct ${setting}.` }
  if (error instanceof sdk.StreamableHTTPError) return httpReason(error.code ?? -1, setting, trouble)
  if (error instanceof sdk.McpError && error.code === (sdk.ErrorCode.ConnectionClosed as number))
    return { why: 'it ended before it answered', advice: `Run it by hand to see why, or correct ${setting}.` }
  const code = codeOf(error)
  if (code === 'ENOENT' && 'command' in entry) return missingReason(entry, setting)
  if (code === 'EACCES' && 'command' in entry)
    return { why: `the program ${entry.command} may not be run`, advice: 'Make it executable.' }
  if (code !== undefined && 'url' in entry)
    return {
      why: `nothing answers at ${placeOf(entry.url)} (${code})`,
      advice: `Start it, or correct ${setting}.`,
    }
  const said = error instanceof Error ? error.message : String(error)
  if (
    error instanceof SyntaxError ||
    (error as Error).name === '$ZodError' ||
    (error as Error).name === 'ZodError'
  )
    return { why: 'it does not answer as an MCP server does', advice: `Correct ${setting}.` }
  return {
    why: oneLine(withoutSecrets(said, entry)).slice(0, QUOTED_MAX),
    advice: `See to it, or correct ${setting}.`,
  }
}

function missingReason({ command, cwd }: Extract<ServerEntry, { command: string }>, setting: string): Reason {
  if (cwd !== undefined && !existsSync(cwd))
    return { why: `its folder ${cwd} does not exist`, advice: `Make it, or correct ${setting}.cwd.` }
  return { why: `the program ${command} was not found`, advice: `Install it, or correct ${setting}.` }
}

function httpReason(status: number, setting: string, { entry, error }: Trouble): Reason {
  const place = 'url' in entry ? placeOf(entry.url) : ''
  if (status === 401 || status === 403)
    return {
      why: `${place} refused us (HTTP ${status})`,
      advice: `Give it what it asks for in ${setting}.headers, such as Authorization.`,
    }
  if (status === 404 || status === 405)
    return { why: `nothing speaks MCP at ${place} (HTTP ${status})`, advice: `Correct ${setting}.url.` }
  const said = oneLine(withoutSecrets((error as Error).message, entry)).slice(0, QUOTED_MAX)
  const why =
    status < 0 ? `${place} does not speak MCP: ${said}` : `${place} answered HTTP ${status}: ${said}`
  return { why, advice: `See to it, or correct ${setting}.` }
}

/** Of an error, or of what caused it: fetch says no more than that it failed. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  if (typeof code === 'string') return code
  return cause === undefined ? undefined : codeOf(cause)
}

/** Keys often stand in the query of an address. */
function placeOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

const LINES_SHOWN = 3

function lastLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return oneLine(lines.slice(-LINES_SHOWN).join(' ')).slice(-QUOTED_MAX)
}

const SECRET_MIN = 4

/** Servers like to print what they were given. */
export function withoutSecrets(text: string, entry: ServerEntry): string {
  const values = Object.values('url' in entry ? (entry.headers ?? {}) : (entry.env ?? {}))
  const words = values
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((one) => one.length >= SECRET_MIN)
  return words
    .toSorted((a, b) => b.length - a.length)
    .reduce((clean, word) => clean.replaceAll(word, '…'), text)
}
