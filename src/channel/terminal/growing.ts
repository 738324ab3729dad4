import type { Token } from 'marked'
import { type Look, blocksLines, codeLabel, codeLine, lexed, markdownLines } from './markdown.ts'
import type { Line } from './wrap.ts'

/** Markdown that is still being written. Asking for its lines costs what came in last, not what came in all. */
export interface Growing {
  add(piece: string): void
  /** At most so many of its last lines, and how many there are before them. */
  last(count: number): { readonly lines: readonly Line[]; readonly above: number }
  /** The same text for another width. */
  relook(look: Look): void
  text(): string
}

interface Fence {
  readonly sign: string
  readonly length: number
  readonly indent: number
}

export function growingMarkdown(first: Look): Growing {
  let look = first
  let source = ''
  let settledTo = 0
  let settled: Line[] = []
  let fence: Fence | null = null

  const settle = (lines: readonly Line[]): void => {
    if (settled.length > 0 && lines.length > 0) settled.push({ text: '', width: 0 })
    settled.push(...lines)
  }

  /** Inside a fence every finished line is final. */
  const settleCode = (): void => {
    for (let end = source.indexOf('\n', settledTo); fence !== null && end !== -1; ) {
      const line = source.slice(settledTo, end)
      settledTo = end + 1
      if (closes(line, fence)) fence = null
      else settled.push(...codeLine(unindented(line, fence), look))
      end = source.indexOf('\n', settledTo)
    }
  }

  const openFence = (): boolean => {
    const opening = FENCE.exec(source.slice(settledTo))
    if (opening === null) return false
    const [whole, indent = '', sign = '', language] = opening
    settle(codeLabel(language, look))
    if (language?.trim() === '' && settled.length > 0) settled.push({ text: '', width: 0 })
    fence = { sign: sign.charAt(0), length: sign.length, indent: indent.length }
    settledTo += whole.length
    settleCode()
    return true
  }

  /** All blocks but the last one are final: what comes can only change the last. */
  const settleBlocks = (): void => {
    const tokens = lexedOrNone(source.slice(settledTo))
    const last = tokens.findLastIndex(({ type }) => type !== 'space')
    const finished = tokens.slice(0, Math.max(0, last))
    settle(blocksLines(finished, look))
    settledTo += finished.reduce((sum, { raw }) => sum + raw.length, 0)
    if (source.length - settledTo > TAIL_MAX) settleLongTail()
  }

  /** One block that does not end, say a list of a thousand items: cut where a line ends, so that the cost stays bounded. */
  const settleLongTail = (): void => {
    const end = source.lastIndexOf('\n') + 1
    const cutAt = end > settledTo ? end : source.length
    settle(markdownLines(source.slice(settledTo, cutAt), look))
    settledTo = cutAt
  }

  const advance = (): void => {
    let before = -1
    while (settledTo !== before) {
      before = settledTo
      if (fence !== null) settleCode()
      else if (!openFence()) settleBlocks()
    }
  }

  const tail = (): readonly Line[] => {
    const text = source.slice(settledTo)
    if (fence === null) return markdownLines(held(text), look)
    return text === '' || isMaybeClosing(text, fence) ? [] : codeLine(unindented(text, fence), look)
  }

  return {
    add: (piece) => void (source += piece.replaceAll(/\r\n?/g, '\n')),
    last: (count) => {
      advance()
      const live = tail()
      const gap: Line[] = settled.length > 0 && live.length > 0 && fence === null ? [{ text: '', width: 0 }] : []
      const end = [...settled.slice(-count), ...gap, ...live]
      const above = settled.length + gap.length + live.length - Math.min(count, end.length)
      return { lines: count === 0 ? [] : end.slice(-count), above }
    },
    relook: (next) => {
      look = next
      settledTo = 0
      settled = []
      fence = null
    },
    text: () => source,
  }
}

const TAIL_MAX = 16_000
const FENCE = /^(?:[ \t]*\n)*( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,})([^\n]*)\n/

function closes(line: string, { sign, length }: Fence): boolean {
  const text = line.trim()
  return /^ {0,3}\S/.test(line) && text.length >= length && text === sign.repeat(text.length)
}

/** The first signs of the line that ends a block of code are not code. */
function isMaybeClosing(line: string, { sign }: Fence): boolean {
  const text = line.trim()
  return text !== '' && text === sign.repeat(text.length)
}

function unindented(line: string, { indent }: Fence): string {
  return line.replace(new RegExp(`^ {0,${indent}}`), '')
}

function lexedOrNone(text: string): Token[] {
  try {
    return lexed(text)
  } catch {
    return []
  }
}

/**
 * Without a last line that may become anything: `-` under a paragraph makes it a heading until the rest of the list
 * item arrives. Emphasis and code that have begun are shown as what they will be.
 */
function held(text: string): string {
  const start = text.lastIndexOf('\n') + 1
  const line = text.slice(start)
  if (/^[ \t]*(?:[-=+*_`~#>|]{1,3}|\d{1,9}[.)]?)?[ \t]*$/.test(line)) return text.slice(0, start)
  const paragraph = text.slice(text.lastIndexOf('\n\n') + 1)
  const ticks = paragraph.split('`').length - 1
  if (ticks % 2 === 1) return `${text}\``
  const stars = paragraph.replaceAll(/`[^`]*`/g, '').split('**').length - 1
  return stars % 2 === 1 && /\*\*[^\s*][^*]*$/.test(line) ? `${text.trimEnd()}**` : text
}
