import { type Token, Lexer } from 'marked'

/**
 * Markdown as tokens, in time that grows with the length of the text only. On its own the lexer needs half a minute for
 * 50 kB of unclosed emphasis, and as long for a list item of 20,000 lines.
 */
export function lexed(text: string): Token[] {
  return chunksOf(text.toWellFormed().replaceAll(/\r\n?/g, '\n')).flatMap(tokensOf)
}

const CHUNK_MAX = 8_000
const INLINE_MAX = 2_000
/** Beyond this many signs of emphasis in one part, none of them is meant as such. */
const SIGNS_MAX = 200
const CODE_MAX = 50_000
const FENCE = /^(?:`{3,}(?!.*`)|~{3,})/
/** Quotes and lists inside each other: nobody writes that, and the lexer calls itself for each of them. */
const DEEP = /^(?: {0,3}(?:> ?|[-*+] +|\d{1,9}[.)] +)){32}/m

function tokensOf(chunk: string): Token[] {
  if (DEEP.test(chunk)) return [asIs(chunk)]
  try {
    return new BoundedLexer({ gfm: true }).lex(chunk)
  } catch {
    return [asIs(chunk)]
  }
}

function asIs(text: string): Token {
  return { type: 'text', raw: text, text }
}

/**
 * Pieces of bounded length, cut at line ends, and at an empty line if there is one. A block of code stays whole unless it
 * is very long.
 */
function chunksOf(text: string): string[] {
  if (text.length <= CHUNK_MAX) return [text]
  const chunks: string[] = []
  let chunk = ''
  let fence = ''
  for (const line of text.split(/(?<=\n)/)) {
    const [sign = ''] = FENCE.exec(line) ?? []
    if (fence === '') fence = sign
    else if (sign.startsWith(fence) && line.trim() === sign) fence = ''
    chunk += line
    const isFull = chunk.length > CHUNK_MAX / 2 && (line.trim() === '' || chunk.length > CHUNK_MAX)
    const isWhole = fence === '' ? isFull : chunk.length > CODE_MAX
    if (!isWhole) continue
    chunks.push(chunk)
    chunk = ''
  }
  return chunk === '' ? chunks : [...chunks, chunk]
}

class BoundedLexer extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    for (let rest = source; rest !== '';) {
      const end = rest.length <= INLINE_MAX ? rest.length : inlineEnd(rest)
      const part = rest.slice(0, end)
      if ((part.match(/[*_~]+/g)?.length ?? 0) > SIGNS_MAX) tokens.push(asIs(part))
      else super.inlineTokens(part, tokens)
      rest = rest.slice(end)
    }
    return tokens
  }
}

function inlineEnd(text: string): number {
  const start = text.slice(0, INLINE_MAX)
  const end = start.lastIndexOf('\n') + 1 || start.lastIndexOf(' ') + 1 || INLINE_MAX
  return start.slice(0, end).isWellFormed() ? end : end - 1
}
