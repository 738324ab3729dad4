import { lexed } from '../../render/lex.ts'
import type { Look } from './look.ts'
import type { Code } from './highlight.ts'
import { blocksLines, codeLabel, codeLine, codeOf, markdownLines } from './markdown.ts'
import { EMPTY, type Line } from './wrap.ts'

interface Fence {
  readonly sign: string
  readonly length: number
  readonly indent: number
  /** As the lines so far have left it. */
  code: Code
}

/** Markdown that is still being written. The cost of its lines depends on the newest text only, not on all of it. */
export class GrowingMarkdown {
  #look: Look
  #source = ''
  /** The text before this place is final, and so are its lines. */
  #settledTo = 0
  #settled: Line[] = []
  #fence: Fence | null = null
  /** The lines of the rest, until more comes in. */
  #live: readonly Line[] | null = null

  constructor(look: Look) {
    this.#look = look
  }

  add(piece: string): void {
    this.#source += piece.replaceAll(/\r\n?/g, '\n')
    this.#live = null
  }

  text(): string {
    return this.#source
  }

  /** The same text for another width. */
  relook(look: Look): void {
    this.#look = look
    this.#settledTo = 0
    this.#settled = []
    this.#fence = null
    this.#live = null
  }

  /** The last `count` lines, and how many come before them. */
  last(count: number): { readonly lines: readonly Line[]; readonly above: number } {
    if (this.#live === null) this.#advance()
    const live = (this.#live ??= this.#tailLines())
    const isApart = this.#settled.length > 0 && live.length > 0 && this.#fence === null
    const end = [...this.#settled.slice(-count), ...(isApart ? [EMPTY] : []), ...live]
    const total = this.#settled.length + (isApart ? 1 : 0) + live.length
    return { lines: end.slice(-count), above: Math.max(0, total - count) }
  }

  #advance(): void {
    let before = -1
    while (this.#settledTo !== before) {
      before = this.#settledTo
      if (this.#fence !== null) this.#settleCode(this.#fence)
      else if (!this.#openFence()) this.#settleBlocks()
    }
  }

  #openFence(): boolean {
    const opening = FENCE.exec(this.#source.slice(this.#settledTo))
    if (opening === null) return false
    const [whole, indent = '', sign = '', language] = opening
    const code = codeOf(language)
    if (this.#settled.length > 0) this.#settled.push(EMPTY)
    this.#settled.push(...codeLabel(code, this.#look))
    this.#fence = { sign: sign.charAt(0), length: sign.length, indent: indent.length, code }
    this.#settledTo += whole.length
    return true
  }

  /** Inside a fence every finished line is final. */
  #settleCode(fence: Fence): void {
    for (;;) {
      const end = this.#source.indexOf('\n', this.#settledTo)
      if (end === -1) return
      const line = this.#source.slice(this.#settledTo, end)
      this.#settledTo = end + 1
      if (closes(line, fence)) {
        this.#fence = null
        return
      }
      const { lines, code } = codeLine(unindented(line, fence), fence.code, this.#look)
      this.#settled.push(...lines)
      fence.code = code
    }
  }

  /** All blocks but the last are final: new text can only change the last one. */
  #settleBlocks(): void {
    const tokens = lexed(this.#source.slice(this.#settledTo))
    const last = tokens.findLastIndex(({ type }) => type !== 'space')
    const finished = tokens.slice(0, Math.max(0, last))
    const length = finished.reduce((sum, { raw }) => sum + raw.length, 0)
    this.#settle(blocksLines(finished, this.#look), length)
    if (this.#source.length - this.#settledTo > TAIL_MAX) this.#settleLongTail()
  }

  /** A block that does not end, such as a list of a thousand items, is cut at a line end to bound the cost. */
  #settleLongTail(): void {
    const tail = this.#source.slice(this.#settledTo)
    const text = tail.slice(0, tail.lastIndexOf('\n') + 1 || tail.length)
    this.#settle(markdownLines(text, this.#look), text.length)
  }

  #settle(lines: readonly Line[], length: number): void {
    if (this.#settled.length > 0 && lines.length > 0) this.#settled.push(EMPTY)
    this.#settled.push(...lines)
    this.#settledTo += length
  }

  #tailLines(): readonly Line[] {
    const text = this.#source.slice(this.#settledTo)
    if (this.#fence === null) return markdownLines(held(text), this.#look)
    const isCode = text !== '' && !isMaybeClosing(text, this.#fence)
    return isCode ? codeLine(unindented(text, this.#fence), this.#fence.code, this.#look).lines : []
  }
}

const TAIL_MAX = 8_000
const FENCE = /^(?:[ \t]*\n)*( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,})([^\n]*)\n/

function closes(line: string, { sign, length }: Fence): boolean {
  const text = line.trim()
  return /^ {0,3}\S/.test(line) && text.length >= length && text === sign.repeat(text.length)
}

/** The beginning of a closing fence is not code. */
function isMaybeClosing(line: string, { sign }: Fence): boolean {
  const text = line.trim()
  return text !== '' && text === sign.repeat(text.length)
}

function unindented(line: string, { indent }: Fence): string {
  return line.replace(new RegExp(`^ {0,${indent}}`), '')
}

/**
 * Leaves out a last line that is still ambiguous: `-` under a paragraph would make it a heading until the rest of the
 * list item arrives. Emphasis and code that have begun are closed, so they look as they will in the end.
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
