import type { Token, Tokens } from 'marked'
import { decoded } from '../../../base/entities.ts'
import type { Paint } from '../../../base/style.ts'
import type { Look } from './look.ts'
import { type Span, unpainted } from './wrap.ts'

/** The inline parts of a block: emphasis, code, links. */
export function inlineSpans(tokens: readonly Token[], look: Look, paint: Paint = unpainted): Span[] {
  return tokens.flatMap((token) => tokenSpans(token, look, paint))
}

export function plainSpans(text: string): Span[] {
  return [{ text, paint: unpainted }]
}

function tokenSpans(token: Token, look: Look, paint: Paint): Span[] {
  const { style } = look
  switch (token.type) {
    case 'strong':
      return marked(token, { look, paint: (text) => style.bold(paint(text)), sign: '**' })
    case 'em':
      return marked(token, { look, paint: (text) => style.italic(paint(text)), sign: '*' })
    case 'del':
      return marked(token, { look, paint: (text) => style.strike(paint(text)), sign: '~~' })
    case 'codespan':
      return codeSpans((token as Tokens.Codespan).text, look)
    case 'br':
      return [{ text: '\n', paint }]
    case 'link':
      return linkSpans(token as Tokens.Link, look, paint)
    case 'image':
      return imageSpans(token as Tokens.Image, look)
    case 'html':
      return [{ text: /^<br\s*\/?>$/i.test(token.raw.trim()) ? '\n' : flowing(token.raw), paint }]
    default:
      return textSpans(token, look, paint)
  }
}

/** Without colours the Markdown marks stay: nothing else would show the emphasis. */
function marked(token: Token, { look, paint, sign }: { look: Look; paint: Paint; sign: string }): Span[] {
  const inner = inlineSpans(('tokens' in token ? token.tokens : undefined) ?? [], look, paint)
  const mark = { text: sign, paint: unpainted }
  return look.colour === 'plain' ? [mark, ...inner, mark] : inner
}

function codeSpans(text: string, { style }: Look): Span[] {
  const tick = { text: '`', paint: style.dim }
  return [tick, { text: flowing(text), paint: style.cyan }, tick]
}

function linkSpans(token: Tokens.Link, look: Look, paint: Paint): Span[] {
  const text = inlineSpans(token.tokens, look, (part) => look.style.underline(paint(part)))
  const isTold = token.text === token.href || `mailto:${token.text}` === token.href || token.href === ''
  return isTold ? text : [...text, { text: ` (${token.href})`, paint: look.style.dim }]
}

function imageSpans({ text, href }: Tokens.Image, { style }: Look): Span[] {
  return [{ text: `[image: ${text === '' ? 'no description' : text}] (${href})`, paint: style.dim }]
}

function textSpans(token: Token, look: Look, paint: Paint): Span[] {
  const inner = 'tokens' in token ? token.tokens : undefined
  if (inner !== undefined && inner.length > 0) return inlineSpans(inner, look, paint)
  const text = 'text' in token && typeof token.text === 'string' ? token.text : token.raw
  // The lexer decodes numeric entities (`&#38;`) but not named ones.
  return [{ text: flowing(decoded(text)), paint }]
}

/** A line break in the source is a space, unless two spaces stood before it. */
function flowing(text: string): string {
  return text.replaceAll(/(?<!\s)\s*\n\s*/g, ' ')
}
