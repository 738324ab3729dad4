import type { Style } from '../../../base/style.ts'
import { type Span, unpainted } from './wrap.ts'

/** A block of code in colours, by the word behind its fence. */
export function codeSpans(code: string, language: string, style: Style): Span[] {
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
