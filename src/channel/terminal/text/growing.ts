import type { Token } from 'marked'
import { lexed } from '../../render/lex.ts'
import type { Look } from './look.ts'
import { blocksLines, markdownLines } from './markdown.ts'
import { EMPTY, type Line } from './wrap.ts'

/** Markdown that is still being written. The cost of its lines depends on the newest text only, not on all of it. */
export class GrowingMarkdown {
  #look: Look
  #source = ''
  /** The lines of the text before the tail, which are final. */
  #settled: Line[] = []
  /** The text whose lines may still change. */
  #tail = ''
  /** The tail goes on with code whose first lines are settled, and begins with its fence again. */
  #isCut = false
  /** The lines of the tail, until more comes in. */
  #live: readonly Line[] | null = null

  constructor(look: Look) {
    this.#look = look
  }

  add(piece: string): void {
    const text = piece.replaceAll(/\r\n?/g, '\n')
    this.#source += text
    this.#tail += text
    this.#live = null
  }

  text(): string {
    return this.#source
  }

  /** The same text for another width. */
  relook(look: Look): void {
    this.#look = look
    this.#settled = []
    this.#tail = this.#source
    this.#isCut = false
    this.#live = null
  }

  /** The last `count` lines, and how many come before them. */
  last(count: number): { readonly lines: readonly Line[]; readonly above: number } {
    const live = (this.#live ??= this.#tailLines())
    const isApart = this.#settled.length > 0 && live.length > 0 && !this.#isCut
    const end = [...this.#settled.slice(-count), ...(isApart ? [EMPTY] : []), ...live]
    const total = this.#settled.length + (isApart ? 1 : 0) + live.length
    return { lines: end.slice(-count), above: Math.max(0, total - count) }
  }

  /** All blocks but the last are settled: new text can only change the last one. */
  #tailLines(): readonly Line[] {
    const tokens = lexed(this.#tail)
    const last = tokens.findLastIndex(({ type }) => type !== 'space')
    const finished = tokens.slice(0, Math.max(0, last))
    if (finished.length > 0)
      this.#settle(blocksLines(finished, this.#look), finished.map(({ raw }) => raw).join(''))
    const fence = openFence(tokens[last])
    if (this.#tail.length > TAIL_MAX) this.#cutTail(fence)
    if (this.#isCut && this.#tail === fence) return []
    return this.#withoutLabel(markdownLines(held(this.#tail, fence !== undefined), this.#look))
  }

  /** A block that does not end, such as a list of a thousand items, is cut at a line end to bound the cost. */
  #cutTail(fence: string | undefined): void {
    const text = this.#tail.slice(0, this.#tail.lastIndexOf('\n') + 1 || this.#tail.length)
    this.#settle(markdownLines(text, this.#look), text)
    this.#tail = `${fence ?? ''}${this.#tail}`
    this.#isCut = fence !== undefined
  }

  #settle(lines: readonly Line[], text: string): void {
    if (this.#settled.length > 0 && lines.length > 0 && !this.#isCut) this.#settled.push(EMPTY)
    for (const line of this.#withoutLabel(lines)) this.#settled.push(line)
    this.#tail = this.#tail.slice(text.length)
    this.#isCut = false
  }

  /** Code that was cut has its language above it already. */
  #withoutLabel(lines: readonly Line[]): readonly Line[] {
    return this.#isCut && /[^\s`~]/.test(this.#tail.split('\n', 1)[0] ?? '') ? lines.slice(1) : lines
  }
}

const TAIL_MAX = 8_000

/** The first line of a block of code that is not closed yet. */
function openFence(block: Token | undefined): string | undefined {
  const [opening, sign] = (block?.type === 'code' && FENCE.exec(block.raw)) || []
  if (opening === undefined) return undefined
  return new RegExp(`\\n {0,3}${sign}[\`~]* *\\n*$`).test(block?.raw ?? '') ? undefined : opening
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[^\n]*\n/

/**
 * Leaves out a last line that is still ambiguous: `-` under a paragraph would make it a heading until the rest of the
 * list item arrives. Emphasis and code that have begun are closed, so they look as they will in the end.
 */
function held(text: string, isCode: boolean): string {
  const start = text.lastIndexOf('\n') + 1
  const line = text.slice(start)
  if (/^[ \t]*(?:[-=+*_`~#>|]{1,3}|\d{1,9}[.)]?)?[ \t]*$/.test(line)) return text.slice(0, start)
  if (isCode) return text
  const paragraph = text.slice(text.lastIndexOf('\n\n') + 1)
  const ticks = paragraph.split('`').length - 1
  if (ticks % 2 === 1) return `${text}\``
  const stars = paragraph.replaceAll(/`[^`]*`/g, '').split('**').length - 1
  return stars % 2 === 1 && /\*\*[^\s*][^*]*$/.test(line) ? `${text.trimEnd()}**` : text
}
