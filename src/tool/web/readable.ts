import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { readInThread, UNREAD, type ReadingBounds } from '../process/reading-thread.ts'
import type { Feed } from './feed.ts'
import { addressesOf } from './web-address.ts'

const READ_MS_MAX = 5_000
/** Of lists in lists in lists, a line can become a hundred times as long. */
const CHARS_MAX = 4_000_000
/** A text of so many bytes, without a structure to build, is read sooner than a thread begins. */
const SHORT_BYTES = 64 * 1024

interface Received {
  readonly contentType: string
  readonly bytes: Uint8Array
}

/**
 * What can be read of something from elsewhere, in a thread (READ1). A page that takes too long is read roughly, in
 * another one. Without a text and a problem, there is nothing to read.
 */
export async function readableOf(
  { contentType, bytes }: Received,
  { signal, timeoutMs = READ_MS_MAX }: Partial<ReadingBounds> & Pick<ReadingBounds, 'signal'>,
): Promise<{ readonly type: string; readonly problem?: string } & Partial<Words>> {
  const type = typeIn(contentType) ?? guessed(bytes)
  if (!TEXTS.test(type)) return { type }
  const isPage = IS_HTML.test(type)
  const job: Job = { kind: 'readable', contentType, bytes, type, isRough: false }
  if (!isPage && bytes.length <= SHORT_BYTES) return { type, ...(await wordsIn(job)) }
  const read = (wish: Job): Promise<Words | undefined> =>
    readInThread(import.meta.url, wish, { signal, timeoutMs })
  const words = (await read(job)) ?? (isPage ? await read({ ...job, isRough: true }) : undefined)
  return words === undefined ? { type, problem: UNREAD } : { type, ...words }
}

/** What a text says, and where its links lead, as it writes them. */
interface Words {
  readonly text: string
  readonly links: readonly string[]
}

interface Job extends Received {
  readonly kind: 'readable'
  readonly type: string
  readonly isRough: boolean
}

function isJob(data: unknown): data is Job {
  return typeof data === 'object' && data !== null && 'kind' in data && data.kind === 'readable'
}

const FEED_LOOKED_AT = 2_000

function isFeed(text: string): boolean {
  return /<(?:rss|feed|rdf:rdf|atom:feed)[\s>]/i.test(text.slice(0, FEED_LOOKED_AT))
}

/** The thread runs this same file, so that it is found both as source and compiled. */
async function wordsIn({ contentType, bytes, type, isRough }: Job): Promise<Words> {
  const text = plain(textOf(bytes, contentType))
  // Servers call feeds by many names, HTML among them.
  if (MAY_BE_FEED.test(type) && isFeed(text)) {
    const { readFeed } = await import('./feed.ts')
    const feed = readFeed(text)
    return { text: feedText(feed), links: feed.entries.map(({ link }) => link) }
  }
  if (!IS_HTML.test(type)) return { text: text.trim(), links: addressesOf(text, 'whole') }
  const { linksIn, roughText, textOfHtml, titleOf } = await import('./html.ts')
  const title = titleOf(text)
  const words = plain(isRough ? roughText(text) : await textOfHtml(text))
  return { text: title === '' ? words : `${title}\n\n${words}`, links: linksIn(text) }
}

const UNKNOWN = 'application/octet-stream'
const IS_HTML = /^(?:text\/html|application\/xhtml\+xml)$/
const MAY_BE_FEED = /[/+]xml$|^text\/html$/

/** Nothing of a server's own wording is passed on but a plain type. */
function typeIn(contentType: string): string | undefined {
  return /^\s*([a-z]{1,20}\/[\w.+-]{1,60})\s*(?:;|$)/i.exec(contentType)?.[1]?.toLowerCase()
}

const LOOKED_AT = 1_024

function guessed(bytes: Uint8Array): string {
  const start = bytes.subarray(0, LOOKED_AT)
  if (start.includes(0)) return UNKNOWN
  const text = Buffer.from(start).toString('latin1')
  if (/^\s*(?:<!--[^>]*-->\s*)?<(?:!doctype html|html|head|body)\b/i.test(text)) return 'text/html'
  return /^\s*<(?:\?xml|rss|feed)\b/i.test(text) ? 'text/xml' : 'text/plain'
}

const TEXTS = new RegExp(
  [
    String.raw`^text/`,
    String.raw`^application/(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|ndjson|x-ndjson|graphql|sql|x-sh)$`,
    String.raw`^(?!image/).*\+(?:json|xml|yaml)$`,
  ].join('|'),
)

/** Without signs that steer terminals. */
function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\t\n]/gu, '')
}

function feedText({ title, entries }: Feed): string {
  const listed = entries.map((entry) =>
    [
      `- ${entry.title === '' ? '(no title)' : entry.title}`,
      ...[entry.date, entry.link, entry.summary].filter((part) => part !== '').map((part) => `  ${part}`),
    ].join('\n'),
  )
  return [title, ...listed, ...(entries.length === 0 ? ['The feed has no entries.'] : [])]
    .filter((part) => part !== '')
    .join('\n\n')
}

const CHARSET_LOOKED_AT = 2_048

/** The text that bytes from the web stand for: by their own mark, by what the server says, by what they say, as UTF-8. */
function textOf(bytes: Uint8Array, contentType: string): string {
  const told = /;\s*charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType)?.[1]
  const named = told ?? charsetWithin(bytes)
  return decoderFor(markOf(bytes) ?? named ?? UTF_8).decode(bytes)
}

const UTF_8 = 'utf-8'

/** The mark at the beginning beats all else. */
function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return UTF_8
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return undefined
}

/** `<meta charset>`, `<meta http-equiv>` or `<?xml encoding?>`. Readable without a charset, so none of two bytes each. */
function charsetWithin(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, CHARSET_LOOKED_AT)).toString('latin1')
  const named = /<(?:meta|\?xml)\b[^>]{0,300}?\b(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]+)/i.exec(
    start,
  )?.[1]
  return named !== undefined && /^utf-?16/i.test(named) ? UTF_8 : named
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder(UTF_8)
  }
}

if (!isMainThread && isJob(workerData)) {
  const { text, links } = await wordsIn(workerData)
  parentPort?.postMessage({ text: text.slice(0, CHARS_MAX), links }, [])
}
