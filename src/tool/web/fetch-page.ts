import { STATUS_CODES } from 'node:http'
import { beginningOf } from '../../base/words.ts'
import { fence } from '../../event/fence.ts'
import { failed, ok, type ToolResult } from '../tool.ts'
import { systemNetwork } from './connection.ts'
import { guardedFetch, type Fetched } from './guarded-fetch.ts'
import { webLimits, type Reach } from './guarded-request.ts'
import { readableOf } from './readable.ts'
import { hostOf, plainAddresses } from './web-address.ts'
import { WebError } from './web-error.ts'

/** The most characters of a page in one result; `offset` reads on. */
const CHARS_MAX = 20_000
const ERROR_CHARS_MAX = 2_000

export interface PageWish extends Pick<Reach, 'signal'>, Partial<Pick<Reach, 'network' | 'limits'>> {
  readonly url: URL
  readonly offset: number
  readonly privateHosts: readonly string[]
}

/** A web page as a tool result. */
export async function fetchPage(wish: PageWish): Promise<ToolResult> {
  const { url, signal, privateHosts, network = systemNetwork, limits = webLimits } = wish
  try {
    const fetched = await guardedFetch(url, { network, trust: { privateHosts }, limits, signal })
    if (fetched.kind === 'elsewhere') return elsewhere(url, fetched.to)
    return await pageResult(fetched, wish)
  } catch (error) {
    if (error instanceof WebError) return failed(error.message)
    throw error
  }
}

function elsewhere(asked: URL, to: URL): ToolResult {
  const text =
    `${hostOf(asked)} redirects to another host, which was not asked. ` +
    `Call web_fetch with this address if you want it:\n${fence(`web ${asked.host}`, to.href)}`
  return { ...ok(text), links: plainAddresses([to.href]) }
}

type Page = Extract<Fetched, { kind: 'page' }>

async function pageResult(page: Page, { url: asked, offset, signal }: PageWish): Promise<ToolResult> {
  const { status, headers, body } = page
  const received = { contentType: headers['content-type'] ?? '', bytes: body.bytes }
  const { type, text: said, links = [], problem } = await readableOf(received, { signal })
  const line = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  if (problem !== undefined) return failed(`${line}, ${type}. The page was not read: ${problem}.`)
  if (said === undefined) return otherResult(page, `${line}, ${type}`)
  // The final address comes from the server too, so it stays inside the fence.
  const text = page.url.href === asked.href ? said : `(at ${page.url.href})\n\n${said}`
  const source = `web ${page.url.host}`
  if (status >= 400) return failed(`${line}\n${fence(source, beginningOf(text, ERROR_CHARS_MAX))}`)
  if (offset > 0 && offset >= text.length)
    return failed(`There are only ${text.length} characters, so nothing is at offset ${offset}.`)
  const piece = beginningOf(text.slice(offset), CHARS_MAX)
  const notes = notesOn(body.isCut, { from: offset, to: offset + piece.length, of: text.length })
  const offered = plainAddresses([page.url.href, ...links], page.url)
  return { ...ok([`${line}, ${type}.${notes}`, fence(source, piece)].join('\n')), links: offered }
}

function notesOn(isCut: boolean, { from, to, of }: { from: number; to: number; of: number }): string {
  const place = from === 0 && to === of ? '' : ` Characters ${from} to ${to} of ${of}.`
  const more = to < of ? ` Read on with offset ${to}.` : ''
  return `${place}${more}${isCut ? ' The page is larger than is read; its end is missing.' : ''}`
}

function otherResult({ status, headers, body }: Page, line: string): ToolResult {
  const size = body.isCut
    ? (headers['content-length'] ?? `more than ${body.bytes.length}`)
    : body.bytes.length
  const text = `${line}, ${size} bytes. It is not text, so there is nothing to read.`
  return status >= 400 ? failed(text) : ok(text)
}
