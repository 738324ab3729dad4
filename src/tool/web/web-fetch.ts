import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import type { JsonObject } from '../../base/json.ts'
import { fence } from '../../event/fence.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { argumentProblem, readArguments } from '../read-arguments.ts'
import { builtIn, failed, said, type Tool, type ToolResult } from '../tool.ts'
import { systemNetwork, type Network } from './connection.ts'
import { guardedFetch, type Fetched } from './guarded-fetch.ts'
import { webLimits, type WebLimits } from './guarded-request.ts'
import { cutAt } from './markup.ts'
import { readableOf } from './readable.ts'
import { grantFor, hostOf, readAddress, refusalOf } from './web-address.ts'
import { WebError } from './web-error.ts'

/** So much of a page is given at once; `offset` reads on. */
const CHARS_MAX = 20_000
const ERROR_CHARS_MAX = 2_000

const spec: ToolSpec = {
  name: 'web_fetch',
  description: 'Reads a web page, file or feed as text.',
  parameters: {
    type: 'object',
    properties: { url: { type: 'string' }, offset: { type: 'integer' } },
    required: ['url'],
  },
}

const USAGE = 'Usage: web_fetch {"url": "https://…", "offset"?: where to read on, from 0}.'
const argumentsSchema = z.strictObject({ url: z.string(), offset: z.int().min(0).exactOptional() })

export interface WebFetchParts {
  /** Hosts, or hosts with a port, that may be reached though they are not public. */
  readonly privateHosts: () => readonly string[]
  readonly network?: Network
  readonly limits?: WebLimits
}

/** Reads what is on the public web, and what a person allows beyond it, as fenced text (SAFE2). */
export function webFetchTool(parts: WebFetchParts): Tool {
  const { privateHosts, network = systemNetwork, limits = webLimits } = parts
  return {
    spec,
    nature: builtIn('reaches', {
      subjectOf: (args) => urlIn(args)?.href ?? textIn(args),
      patternFor: (args) => `web_fetch(${urlIn(args)?.origin ?? ''}/*)`,
    }),
    check: (args) => argumentProblem(argumentsSchema, args, USAGE) ?? addressProblem(args, privateHosts()),
    run: async (args, { signal }) => {
      const read = readArguments(argumentsSchema, args, USAGE)
      if ('misfit' in read) return read.misfit
      const { url: text, offset = 0 } = read.is
      const address = readAddress(text)
      if ('refused' in address) return failed(address.refused)
      const trust = { privateHosts: privateHosts() }
      try {
        const fetched = await guardedFetch(address.url, { network, trust, limits, signal })
        if (fetched.kind === 'elsewhere') return elsewhere(address.url, fetched.to)
        return await pageResult(fetched, { asked: address.url, offset, signal })
      } catch (error) {
        if (error instanceof WebError) return failed(error.message)
        throw error
      }
    },
  }
}

function urlIn(args: JsonObject): URL | undefined {
  const read = readAddress(textIn(args))
  return 'url' in read ? read.url : undefined
}

function textIn({ url }: JsonObject): string {
  return typeof url === 'string' ? url : ''
}

function addressProblem(args: JsonObject, privateHosts: readonly string[]): string | undefined {
  const read = readAddress(textIn(args))
  return 'refused' in read ? read.refused : refusalOf(read.url, grantFor(read.url, privateHosts))
}

function elsewhere(asked: URL, to: URL): ToolResult {
  return said(
    `${hostOf(asked)} redirects to another host, which was not asked. ` +
      `Call web_fetch with this address if you want it:\n${fence(`web ${asked.host}`, to.href)}`,
  )
}

interface Wanted {
  readonly asked: URL
  readonly offset: number
  readonly signal: AbortSignal
}

type Page = Extract<Fetched, { kind: 'page' }>

async function pageResult(page: Page, { asked, offset, signal }: Wanted): Promise<ToolResult> {
  const { status, headers, body } = page
  const read = await readableOf({ contentType: headers['content-type'] ?? '', bytes: body.bytes }, { signal })
  const line = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  if (read.kind === 'other') return otherResult(page, `${line}, ${read.type}`)
  // Where a page really stands is the server's word too.
  const text = page.url.href === asked.href ? read.text : `(at ${page.url.href})\n\n${read.text}`
  const source = `web ${page.url.host}`
  if (status >= 400) return failed(`${line}\n${fence(source, cutAt(text, ERROR_CHARS_MAX))}`)
  if (offset > 0 && offset >= text.length)
    return failed(`There are only ${text.length} characters, so nothing is at offset ${offset}.`)
  const piece = cutAt(text.slice(offset), CHARS_MAX)
  const notes = notesOn(body.isCut, { from: offset, to: offset + piece.length, of: text.length })
  return said([`${line}, ${read.type}.${notes}`, fence(source, piece)].join('\n'))
}

function notesOn(isCut: boolean, { from, to, of }: { from: number; to: number; of: number }): string {
  const place = from === 0 && to === of ? '' : ` Characters ${from} to ${to} of ${of}.`
  const more = to < of ? ` Read on with offset ${to}.` : ''
  return `${place}${more}${isCut ? ' The page is larger than is read; its end is missing.' : ''}`
}

function otherResult({ status, headers, body }: Page, line: string): ToolResult {
  const told = /^\d{1,15}$/.exec(headers['content-length'] ?? '')?.[0]
  const size = body.isCut ? (told ?? `more than ${body.bytes.length}`) : body.bytes.length
  const text = `${line}, ${size} bytes. It is no text, so there is nothing to read.`
  return status >= 400 ? failed(text) : said(text)
}
