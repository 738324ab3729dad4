import { type Look, type Span, markdownSpans, textOf } from './spans.ts'
import { piecesOf } from './pieces.ts'

export interface TelegramPiece {
  /** For `parse_mode: 'HTML'`. */
  readonly html: string
  /** The same without looks, for a server that refuses the HTML. */
  readonly text: string
}

/** Markdown as messages that Telegram accepts. */
export function telegramPieces(markdown: string, unitsMax = TELEGRAM_UNITS_MAX): TelegramPiece[] {
  return cut(markdownSpans(markdown), unitsMax)
}

/** A text as it is: nothing in it is Markdown. */
export function telegramText(text: string, unitsMax: number): TelegramPiece[] {
  return cut([{ text, look: {} }], unitsMax)
}

function cut(spans: readonly Span[], unitsMax: number): TelegramPiece[] {
  const pieces = piecesOf(spans, { unitsMax, fits })
  return pieces.map((piece) => ({ html: htmlOf(piece).html, text: textOf(piece) }))
}

const TELEGRAM_UNITS_MAX = 4_096
/** Telegram drops formatting beyond this, and with a link its address. */
const ENTITIES_MAX = 100
const HTML_BYTES_MAX = 32_768

function fits(piece: readonly Span[]): boolean {
  const { html, entities } = htmlOf(piece)
  return entities <= ENTITIES_MAX && Buffer.byteLength(html) <= HTML_BYTES_MAX
}

/** Tags stay open from span to span, so that a quote of many spans is one quote. */
function htmlOf(piece: readonly Span[]): { readonly html: string; readonly entities: number } {
  let html = ''
  let entities = 0
  let open: readonly string[] = []
  for (const { text, look } of [...piece, { text: '', look: {} }]) {
    const tags = tagsOf(look)
    const kept = tags.findIndex((tag, index) => tag !== open[index])
    const same = kept === -1 ? Math.min(tags.length, open.length) : kept
    const opened = tags.slice(same)
    html += open.slice(same).toReversed().map(closing).join('') + opened.join('') + escaped(text)
    entities += opened.length
    if (entities > ENTITIES_MAX) break
    open = tags
  }
  return { html, entities }
}

/** From the outside in. Telegram allows no other formatting in code, and no code in a link. */
function tagsOf(look: Look): string[] {
  const quote = look.isQuote ? ['<blockquote>'] : []
  if (look.code === '') return [...quote, '<pre>']
  if (look.code !== undefined) return [...quote, `<pre><code class="language-${escaped(look.code)}">`]
  if (look.isCode && look.link === undefined) return [...quote, '<code>']
  return [
    ...quote,
    ...(look.link === undefined ? [] : [`<a href="${escaped(look.link)}">`]),
    ...(look.isBold ? ['<b>'] : []),
    ...(look.isItalic ? ['<i>'] : []),
    ...(look.isStruck ? ['<s>'] : []),
  ]
}

function closing(tag: string): string {
  const names = Array.from(tag.matchAll(/<(\w+)/g), ([, name]) => `</${name}>`)
  return names.toReversed().join('')
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
