import type { Token, Tokens } from 'marked'
import { decoded } from '../../base/entities.ts'
import { widthOf } from '../../base/width.ts'
import { lexed } from './lex.ts'

/** The visible text of an answer, with looks that each platform shows in its own way. */
export interface Span {
  readonly text: string
  readonly look: Look
}

export interface Look {
  readonly isBold?: true
  readonly isItalic?: true
  readonly isStruck?: true
  /** Code in a line of text. */
  readonly isCode?: true
  /** A block of code, by its language or ''. */
  readonly code?: string
  /** The address behind a text that does not show it. */
  readonly link?: string
  /** Tells the host of the link before it. Plain text tells the whole address there. */
  readonly isHost?: true
  readonly isQuote?: true
}

/** Markdown without its marks. Never throws; HTML is shown as it was written. */
export function markdownSpans(markdown: string): Span[] {
  return blocks(lexed(markdown), 0).filter(({ text }) => text !== '')
}

export function textOf(spans: readonly Span[]): string {
  return spans.map(({ text }) => text).join('')
}

/** Plain text: each link is followed by its address, and lines of a quote begin with `> `. */
export function plainText(spans: readonly Span[]): string {
  let plain = ''
  for (const [index, { text, look }] of spans.entries()) {
    if (look.isHost) continue
    const isLineStart = plain === '' || plain.endsWith('\n')
    const sign = look.isQuote && isLineStart && !text.startsWith('\n') ? '> ' : ''
    plain += sign + (look.isQuote ? text.replaceAll(/\n(?=[^\n])/g, '\n> ') : text)
    if (look.link !== undefined && spans[index + 1]?.look.link !== look.link) plain += ` (${look.link})`
  }
  return plain
}

const DEPTH_MAX = 8
const TABLE_COLUMNS_MAX = 72
const RULE = '──────────'
const TAB = '    '
/** Longer addresses would not leave room for text in a message. */
const LINK_MAX = 1_500

function blocks(tokens: readonly Token[], depth: number): Span[] {
  return joined(
    tokens.map((token) => block(token, depth)),
    '\n\n',
  )
}

function joined(parts: readonly Span[][], separator: string): Span[] {
  return parts
    .filter((part) => part.some(({ text }) => text !== ''))
    .flatMap((part, index) => (index === 0 ? part : [span(separator), ...part]))
}

function block(token: Token, depth: number): Span[] {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return []
    case 'heading':
      return inline((token as Tokens.Heading).tokens, { isBold: true })
    case 'code':
      return [span((token as Tokens.Code).text, { code: languageOf(token as Tokens.Code) })]
    case 'list':
      return listSpans(token as Tokens.List, depth)
    case 'blockquote':
      return quoteSpans(token as Tokens.Blockquote, depth)
    case 'table':
      return tableSpans(token as Tokens.Table)
    case 'hr':
      return [span(RULE)]
    case 'html':
      return [span(token.raw.trim())]
    default:
      return inline([token], {})
  }
}

function languageOf({ lang = '' }: Tokens.Code): string {
  return /^[\w+#.-]{1,30}(?=\s|$)/.exec(lang)?.[0] ?? ''
}

function listSpans(list: Tokens.List, depth: number): Span[] {
  const first = Number(list.start) || 1
  const items = list.items.map((item, index) => {
    const box = item.task ? `[${item.checked ? 'x' : ' '}] ` : ''
    const bullet = list.ordered ? `${first + index}. ` : '• '
    const parts = item.tokens.map((token) => block(token, depth + 1))
    const indent = depth < DEPTH_MAX ? ' '.repeat(bullet.length) : ''
    return hanging(joined(parts, item.loose ? '\n\n' : '\n'), bullet + box, indent)
  })
  return joined(items, list.loose ? '\n\n' : '\n')
}

/** A nested quote is written with `> `, since platforms do not nest quotes. */
function quoteSpans({ tokens }: Tokens.Blockquote, depth: number): Span[] {
  const inner = blocks(tokens, depth + 1)
  if (depth === 0) return inner.map(({ text, look }) => span(text, { ...look, isQuote: true }))
  return depth < DEPTH_MAX ? hanging(inner, '> ', '> ') : inner
}

/** Code keeps its lines as they are, so that they can be copied. */
function hanging(spans: readonly Span[], first: string, rest: string): Span[] {
  let isLineStart = false
  const hung = spans
    .filter(({ text }) => text !== '')
    .map((each) => {
      const isCode = each.look.code !== undefined
      const lead = isLineStart && !isCode && !each.text.startsWith('\n') ? rest : ''
      isLineStart = each.text.endsWith('\n')
      return isCode ? each : span(lead + each.text.replaceAll(/\n(?=[^\n])/g, `\n${rest}`), each.look)
    })
  return [span(first), ...hung]
}

/** A table that is too wide for a phone becomes a list of its cells. */
function tableSpans({ header, rows, align }: Tokens.Table): Span[] {
  const cells = [header, ...rows].map((row) => row.map(({ tokens }) => plainText(inline(tokens, {}))))
  const aligned = alignedTable(cells, align)
  if (aligned !== null) return [span(aligned, { code: '' })]
  const titles = header.map(({ tokens }) => inline(tokens, { isBold: true }))
  const records = rows.map((row) => {
    const lines = row.map(({ tokens }, index) => [
      ...(titles[index] ?? []),
      span(': '),
      ...inline(tokens, {}),
    ])
    return joined(lines, '\n')
  })
  return records.length === 0 ? joined(titles, '\n') : joined(records, '\n\n')
}

/** Rows with columns of one width under a ruled header; null if they are too wide. */
function alignedTable(
  rows: readonly (readonly string[])[],
  aligns: readonly (string | null)[],
): string | null {
  const widths = aligns.map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? '')), 1),
  )
  const total = widths.reduce((sum, width) => sum + width + 3, -3)
  if (total > TABLE_COLUMNS_MAX || rows.some((row) => row.some((cell) => cell.includes('\n')))) return null
  const [header = '', ...body] = rows.map((row) =>
    widths
      .map((width, column) => aligned(row[column] ?? '', width, aligns[column]))
      .join(' │ ')
      .trimEnd(),
  )
  return [header, widths.map((width) => '─'.repeat(width)).join('─┼─'), ...body].join('\n')
}

function aligned(text: string, width: number, align: string | null | undefined): string {
  const room = width - widthOf(text)
  const before = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0
  return ' '.repeat(before) + text + ' '.repeat(room - before)
}

function inline(tokens: readonly Token[], look: Look): Span[] {
  return tokens.flatMap((token) => inlineToken(token, look))
}

function inlineToken(token: Token, look: Look): Span[] {
  switch (token.type) {
    case 'strong':
      return inner(token, { ...look, isBold: true })
    case 'em':
      return inner(token, { ...look, isItalic: true })
    case 'del':
      return inner(token, { ...look, isStruck: true })
    case 'codespan':
      return [span((token as Tokens.Codespan).text.replaceAll('\n', ' '), { ...look, isCode: true })]
    case 'br':
      return [span('\n', look)]
    case 'checkbox':
      return []
    case 'link':
      return linkSpans(token as Tokens.Link, look)
    case 'image':
      return imageSpans(token as Tokens.Image, look)
    case 'html':
      return [span(/^<br\s*\/?>$/i.test(token.raw.trim()) ? '\n' : token.raw, look)]
    default:
      return inner(token, look)
  }
}

function inner(token: Token, look: Look): Span[] {
  const tokens = 'tokens' in token ? token.tokens : undefined
  if (tokens !== undefined && tokens.length > 0) return inline(tokens, look)
  const text = 'text' in token && typeof token.text === 'string' ? token.text : token.raw
  // The lexer decodes numeric entities (`&#38;`) but not named ones.
  return [span(decoded(text).replaceAll(/\n +/g, '\n'), look)]
}

/** The host is told unless the text is the address, with the host in it as it is (LINK1). */
function linkSpans({ tokens, href }: Tokens.Link, look: Look): Span[] {
  const address = seen(decoded(href)).trim()
  const spans = inline(tokens, look).filter((each) => !each.look.isHost)
  const text = textOf(spans)
  if (!['', text, `mailto:${text}`, `http://${text}`].includes(address)) return linked(spans, address, look)
  const host = URL.parse(address)?.host ?? ''
  return text.toLowerCase().includes(host) ? spans : [...spans, span(` (${host})`, look)]
}

function imageSpans({ text, href }: Tokens.Image, look: Look): Span[] {
  const name = `[image: ${text.trim() === '' ? 'no description' : decoded(text).replaceAll('\n', ' ')}]`
  return linked([span(name, look)], seen(decoded(href)).trim(), look)
}

function linked(spans: readonly Span[], address: string, around: Look): Span[] {
  if (spans.every(({ text }) => text.trim() === '')) return [span(address, spans[0]?.look)]
  if (!isWebAddress(address)) return [...spans, span(` (${address})`, spans.at(-1)?.look)]
  const { host } = new URL(address)
  const linking = spans.map(({ text, look }) => span(text, { ...look, link: address }))
  return [...linking, span(` (${host})`, { ...around, isHost: true })]
}

/** Other addresses are shown: platforms drop a link that they do not accept, and a name before `@` hides the host. */
function isWebAddress(address: string): boolean {
  if (address.length > LINK_MAX || !/^https?:\/\/\S+$/i.test(address)) return false
  const url = URL.parse(address)
  return (
    url !== null && url.username + url.password === '' && /^[a-z\d-]+(?:\.[a-z\d-]+)+$/.test(url.hostname)
  )
}

function span(text: string, look: Look = {}): Span {
  return { text: seen(text), look }
}

/** Platforms drop or replace control characters, each in its way. */
function seen(text: string): string {
  if (!/[^\n\x20-\x7E]/.test(text)) return text
  return text
    .replaceAll(/\r\n?|[\u{85}\u{2028}\u{2029}]/gu, '\n')
    .replaceAll('\t', TAB)
    .replaceAll(/(?!\n)[\p{Cc}\u{202A}-\u{202E}\u{2066}-\u{2069}]/gu, '')
}
