import { isFeed, readFeed, type Feed } from './feed.ts'
import { textOfHtml, titleOf, type HtmlWish } from './html.ts'

const HTML_MS_MAX = 5_000

/** What can be read of something from the web. Without a text, it is none. */
export async function readableOf(
  { contentType, bytes }: { readonly contentType: string; readonly bytes: Uint8Array },
  { signal, timeoutMs = HTML_MS_MAX }: Partial<HtmlWish> & Pick<HtmlWish, 'signal'>,
): Promise<{ readonly type: string; readonly text?: string }> {
  const type = typeIn(contentType) ?? guessed(bytes)
  if (!TEXTS.test(type)) return { type }
  const text = plain(textOf(bytes, contentType))
  // Servers call feeds by many names, HTML among them.
  if (MAY_BE_FEED.test(type) && isFeed(text)) return { type, text: feedText(readFeed(text)) }
  if (!IS_HTML.test(type)) return { type, text: text.trim() }
  const title = titleOf(text)
  const words = plain(await textOfHtml(text, { signal, timeoutMs }))
  return { type, text: title === '' ? words : `${title}\n\n${words}` }
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
