import type { Style } from '../../../base/style.ts'
import { type Span, unpainted } from './wrap.ts'

/** A block of code that is painted line by line. */
export interface Code {
  /** The word behind the fence. */
  readonly language: string
  /** What ends the comment or string that the lines before have left open. */
  readonly until: string | null
}

/**
 * The spans of one line of code, and the state for the next line. Libraries that highlight paint whole blocks; here each
 * line of an answer is final as soon as it has arrived.
 */
export function codeSpans(line: string, code: Code, style: Style): { spans: Span[]; code: Code } {
  if (/^(?:diff|patch)$/i.test(code.language))
    return { spans: [{ text: line, paint: diffPaint(line, style) }], code }
  const [, tokens] = FAMILIES.find(([languages]) => languages.test(code.language)) ?? []
  if (tokens === undefined) return { spans: [{ text: line, paint: style.cyan }], code }
  const spans: Span[] = []
  let [at, until] = [0, code.until]
  while (at < line.length) {
    const found = until === null ? tokensFrom(tokens, line, at) : { index: at, text: '', until }
    if (found === undefined) break
    spans.push({ text: line.slice(at, found.index), paint: unpainted })
    const closing = found.until
    const end = closing === null ? -1 : line.indexOf(closing, found.index + found.text.length)
    at = closing === null ? found.index + found.text.length : end === -1 ? line.length : end + closing.length
    const text = line.slice(found.index, at)
    spans.push({
      text,
      paint: closing === null ? tokenPaint(text, style) : /^[*-]/.test(closing) ? style.dim : style.green,
    })
    until = closing !== null && end === -1 ? closing : null
  }
  return { spans: [...spans, { text: line.slice(at), paint: unpainted }], code: { ...code, until } }
}

function tokensFrom(tokens: RegExp, line: string, from: number) {
  tokens.lastIndex = from
  const match = tokens.exec(line)
  return match === null ? undefined : { index: match.index, text: match[0], until: CLOSES[match[0]] ?? null }
}

/** Comments and strings that can go on over lines, with what ends them. */
const CLOSES: Readonly<Record<string, string>> = {
  '/*': '*/',
  '<!--': '-->',
  '`': '`',
  '"""': '"""',
  "'''": "'''",
}
const STRING = String.raw`"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?`
const WORD = String.raw`\b\d[\w.]*|[A-Za-z_$][\w$-]*`

/** Languages by what begins a comment. */
const FAMILIES = (
  [
    [
      /^(?:[cm]?[jt]sx?|javascript|typescript|jsonc?|java|c|h|c(?:pp|\+\+|s|sharp)|go|rust|rs|swift|kotlin|kt|php|s?css|dart|zig)$/i,
      String.raw`//.*|/\*|${'`'}`,
    ],
    [
      /^(?:py(?:thon)?|rb|ruby|(?:ba|z)?sh|shell|console|ya?ml|toml|ini|r|perl|make(?:file)?|docker(?:file)?|elixir)$/i,
      String.raw`(?<=^|\s)#.*|"""|'''`,
    ],
    [/^(?:sql|lua|haskell|hs|ada)$/i, '--.*'],
    [/^(?:html?|xml|svg|vue)$/i, '<!--'],
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
  if (/^(?:\/\/|#|--)/.test(text)) return style.dim
  if (/^["']/.test(text)) return style.green
  if (/^\d/.test(text)) return style.yellow
  const word = /^[A-Z]+$/.test(text) ? text.toLowerCase() : text
  return KEYWORDS.has(word) ? style.cyan : unpainted
}

function diffPaint(line: string, { green, red, cyan }: Style) {
  if (line.startsWith('+')) return green
  if (line.startsWith('-')) return red
  return line.startsWith('@@') ? cyan : unpainted
}
