import type { Token, Tokens } from 'marked'
import type { Style } from '../../../base/style.ts'
import { lexed } from '../../render/lex.ts'
import type { Look } from './look.ts'
import { inlineSpans, plainSpans } from './markdown-inline.ts'
import { tableLines } from './markdown-table.ts'
import { TAB } from './neutral.ts'
import { EMPTY, type Line, type Span, cut, lineFrom, prefixed, unpainted, wrap } from './wrap.ts'

/** Markdown as lines for a terminal. It never throws: what cannot be read as Markdown is shown as it is. */
export function markdownLines(text: string, look: Look): Line[] {
  return blocksLines(lexed(text), look)
}

/** Blocks with an empty line between them. */
export function blocksLines(tokens: readonly Token[], look: Look): Line[] {
  const lines: Line[] = []
  for (const token of tokens) {
    const block = blockLines(token, look)
    if (block.length > 0 && lines.length > 0) lines.push(EMPTY)
    for (const line of block) lines.push(line)
  }
  return lines
}

const NARROWEST = 6
const RULE_COLUMNS = 24

function blockLines(token: Token, look: Look): Line[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading':
      return headingLines(token as Tokens.Heading, look)
    case 'code':
      return codeLines(token as Tokens.Code, look)
    case 'list':
      return listLines(token as Tokens.List, look)
    case 'blockquote':
      return quoteLines(token as Tokens.Blockquote, look)
    case 'table':
      return tableLines(token as Tokens.Table, { ...look, columns: wide(look) })
    case 'hr':
      return [lineFrom('─'.repeat(Math.min(RULE_COLUMNS, look.columns)), look.style.dim)]
    default:
      return proseLines(token, look)
  }
}

function proseLines(token: Token, look: Look): Line[] {
  const inner = 'tokens' in token ? token.tokens : undefined
  const spans = inner === undefined ? plainSpans(token.raw.trimEnd()) : inlineSpans(inner, look)
  return wrap(spans, look.columns)
}

function headingLines(token: Tokens.Heading, look: Look): Line[] {
  const { bold, underline } = look.style
  const paint = token.depth === 1 ? (text: string) => bold(underline(text)) : bold
  const sign: Span[] =
    look.colour === 'plain' ? [{ text: `${'#'.repeat(token.depth)} `, paint: unpainted }] : []
  return wrap([...sign, ...inlineSpans(token.tokens, look, paint)], look.columns)
}

function codeLines(token: Tokens.Code, look: Look): Line[] {
  const language = (token.lang ?? '').trim().split(/\s/)[0] ?? ''
  const label = wrap([{ text: `── ${language}`, paint: look.style.dim }], look.columns).slice(0, 1)
  const indent = indentFor(look, '  ')
  const spans = codeSpans(token.text.replaceAll('\t', TAB), language, look.style)
  const lines = prefixed(cut(spans, wide(look) - indent.width), indent, indent)
  return language === '' ? lines : [...label, ...lines]
}

function listLines(list: Tokens.List, look: Look): Line[] {
  const first = Number(list.start) || 1
  const bulletColumns = list.ordered ? `${first + list.items.length - 1}. `.length : 2
  return list.items.flatMap((item, index) => {
    const bullet = list.ordered ? `${first + index}. `.padStart(bulletColumns) : '• '
    const sign = indentFor(look, bullet)
    const lines = itemLines(item, { ...look, columns: look.columns - sign.width })
    const isApart = list.loose && index > 0
    const all = prefixed(
      lines.length === 0 ? [EMPTY] : lines,
      sign,
      indentFor(look, ' '.repeat(bulletColumns)),
    )
    return isApart ? [EMPTY, ...all] : all
  })
}

/** A tight item has no empty line between its text and the list below it. */
function itemLines(item: Tokens.ListItem, look: Look): Line[] {
  if (item.loose) return blocksLines(joinedBoxes(item.tokens), look)
  return joinedBoxes(item.tokens).flatMap((token) => blockLines(token, look))
}

/** A checkbox goes before the text that follows it, not on a line of its own. */
function joinedBoxes(tokens: readonly Token[]): Token[] {
  const [first, second, ...rest] = tokens
  if (first?.type !== 'checkbox' || second === undefined || !('tokens' in second)) return [...tokens]
  const isTicked = 'checked' in first && first['checked'] === true
  const box: Tokens.Text = { type: 'text', raw: '', text: isTicked ? '[x] ' : '[ ] ' }
  return [{ ...second, tokens: [box, ...(second.tokens ?? [])] }, ...rest]
}

function quoteLines(token: Tokens.Blockquote, look: Look): Line[] {
  const bar = indentFor(look, '│ ')
  const lines = blocksLines(token.tokens, { ...look, columns: look.columns - bar.width })
  const painted = { text: look.style.dim(bar.text), width: bar.width }
  return prefixed(lines, painted, painted)
}

/** Nested blocks lose their indent where there is hardly any room. */
function indentFor(look: Look, text: string): Line {
  return look.columns - text.length < NARROWEST ? EMPTY : { text, width: text.length }
}

function wide({ columns, spare = 0 }: Look): number {
  return columns + spare
}

/** A block of code in colours, by the word behind its fence. */
function codeSpans(code: string, language: string, style: Style): Span[] {
  if (/^(?:diff|patch)$/i.test(language))
    return code.split(/(?<=\n)/).map((text) => ({ text, paint: diffPaint(text, style) }))
  const [, tokens] = FAMILIES.find(([languages]) => languages.test(language)) ?? []
  if (tokens === undefined) return [{ text: code, paint: style.cyan }]
  const spans: Span[] = []
  let at = 0
  for (const { 0: text, index } of code.matchAll(tokens)) {
    spans.push({ text: code.slice(at, index), paint: unpainted }, { text, paint: tokenPaint(text, style) })
    at = index + text.length
  }
  return [...spans, { text: code.slice(at), paint: unpainted }]
}

const STRING = String.raw`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?`
const WORD = String.raw`\b\d[\w.]*|[A-Za-z_$][\w$-]*`

/** Languages by their comments, and the strings that go on over lines. */
const FAMILIES = (
  [
    [
      /^(?:[cm]?[jt]sx?|javascript|typescript|jsonc?|java|c|h|c(?:pp|\+\+|s|sharp)|go|rust|rs|swift|kotlin|kt|php|s?css|dart|zig)$/i,
      String.raw`//.*|/\*[^]*?(?:\*/|$)|${'`'}[^${'`'}]*${'`'}?`,
    ],
    [
      /^(?:py(?:thon)?|rb|ruby|(?:ba|z)?sh|shell|console|ya?ml|toml|ini|r|perl|make(?:file)?|docker(?:file)?|elixir)$/i,
      String.raw`(?<=^|\s)#.*|"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)`,
    ],
    [/^(?:sql|lua|haskell|hs|ada)$/i, '--.*'],
    [/^(?:html?|xml|svg|vue)$/i, '<!--[^]*?(?:-->|$)'],
  ] as const
).map(([languages, comment]) => [languages, new RegExp(`${comment}|${STRING}|${WORD}`, 'g')] as const)

const KEYWORDS = new Set(
  `abstract and as async await bool boolean break case catch class const continue create def default defer delete do done
  elif else end enum except export extends false fi final finally fn for from func function group if impl import in insert
  int interface into is join lambda let limit match mod mut new nil none not null on or order package pass private pub
  public raise readonly return select self set static string struct super switch table then this throw trait true try type
  typeof undefined update use using values var void where while with yield`.split(/\s+/),
)

function tokenPaint(text: string, style: Style) {
  if (/^(?:\/[/*]|#|--|<!--)/.test(text)) return style.dim
  if (/^["'`]/.test(text)) return style.green
  if (/^\d/.test(text)) return style.yellow
  const word = /^[A-Z]+$/.test(text) ? text.toLowerCase() : text
  return KEYWORDS.has(word) ? style.cyan : unpainted
}

function diffPaint(line: string, { green, red, cyan }: Style) {
  if (line.startsWith('+')) return green
  if (line.startsWith('-')) return red
  return line.startsWith('@@') ? cyan : unpainted
}
