import { type Token, type TokensList, Lexer } from 'marked'

/**
 * Markdown as tokens, in time that grows with the length of the text only. On its own the lexer needs half a minute for
 * 50 kB of unclosed emphasis, and as long for a list item of 20,000 lines. Never throws.
 */
export function lexed(text: string): Token[] {
  try {
    return new BoundedLexer({ gfm: true }).lex(text.toWellFormed())
  } catch {
    return [asIs(text)]
  }
}

const CHUNK_MAX = 8_000
const CODE_MAX = 50_000
const INLINE_MAX = 2_000
/** A part with more signs of emphasis than this is shown as it is: lexing it would take too long. */
const SIGNS_MAX = 200
const FENCE = /^(?:`{3,}(?!.*`)|~{3,})/
/** Deeply nested quotes and lists are shown as they are: the lexer calls itself for each level. */
const DEEP = /^(?: {0,3}(?:> ?|[-*+] +|\d{1,9}[.)] +)){32}/m

class BoundedLexer extends Lexer {
  override blockTokens(source: string, tokens?: Token[], isClipped?: boolean): Token[]
  override blockTokens(source: string, tokens?: TokensList, isClipped?: boolean): TokensList
  override blockTokens(source: string, tokens: Token[] = [], isClipped = false): Token[] {
    if (tokens !== this.tokens) return super.blockTokens(source, tokens, isClipped)
    for (const chunk of chunksOf(source)) {
      if (DEEP.test(chunk)) tokens.push(asIs(chunk))
      else super.blockTokens(chunk, tokens, isClipped)
    }
    return tokens
  }

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

function asIs(text: string): Token {
  return { type: 'html', raw: text, text, block: true, pre: false }
}

/**
 * Pieces of bounded length, cut at line ends, and between blocks if there are some. A block of code stays whole unless
 * it is very long.
 */
function chunksOf(text: string): string[] {
  if (text.length <= CHUNK_MAX) return [text]
  const chunks: string[] = []
  let chunk = ''
  let fence = ''
  let isAfterBlank = false
  for (const line of text.split(/(?<=\n)/)) {
    const lengthMax = isAfterBlank && /^\S/.test(line) ? CHUNK_MAX / 2 : CHUNK_MAX
    if (chunk.length > (fence === '' ? lengthMax : CODE_MAX)) {
      chunks.push(chunk)
      chunk = ''
    }
    const [sign = ''] = FENCE.exec(line) ?? []
    if (fence === '') fence = sign
    else if (sign.startsWith(fence) && line.trim() === sign) fence = ''
    chunk += line
    isAfterBlank = line.trim() === ''
  }
  return [...chunks, chunk]
}

function inlineEnd(text: string): number {
  const start = text.slice(0, INLINE_MAX)
  const end = start.lastIndexOf('\n') + 1 || start.lastIndexOf(' ') + 1 || INLINE_MAX
  return start.slice(0, end).isWellFormed() ? end : end - 1
}
