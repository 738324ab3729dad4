import { bisect } from '../../base/bisect.ts'
import { textOf, type Span } from './spans.ts'

export interface Limits {
  /** In UTF-16 units of visible text. */
  readonly unitsMax: number
  /** The platform's other limits. A few characters must always fit. */
  readonly fits?: (piece: readonly Span[]) => boolean
}

/**
 * Splits a text into messages: between paragraphs, else between lines, else between words, else between characters. Each
 * piece has the looks of its text, so code that was split is code in both. Spaces and line ends at a cut are left out.
 * More text at the end does not move the cuts before it.
 */
export function piecesOf(spans: readonly Span[], { unitsMax, fits = () => true }: Limits): Span[][] {
  const cut = cutter(spans)
  const text = textOf(spans)
  const outline = spans.map(({ text, look }) => (look.code === undefined ? text : outlined(text))).join('')
  const pieces: Span[][] = []
  for (let at = 0; at < text.length;) {
    let end = endFrom(outline, at, unitsMax)
    let piece = cut(at, end)
    while (!fits(piece) && end - at > FEWEST) {
      end = endFrom(outline, at, Math.max(FEWEST, Math.floor((end - at) / 2)))
      piece = cut(at, end)
    }
    if (SEEN.test(textOf(piece))) pieces.push(piece)
    at = end + gapAt(outline, end)
  }
  return pieces
}

const FEWEST = 4
/** A message without such a character counts as empty. */
const SEEN = /[^\s\p{C}\p{Default_Ignorable_Code_Point}]/u
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** So that an empty line in code is not taken for the end of a paragraph. */
function outlined(code: string): string {
  return code.replaceAll('\n', '\r')
}

/** The end of a piece that begins at `at` and has at most `max` units. */
function endFrom(outline: string, at: number, max: number): number {
  if (outline.length - at <= max) return outline.length
  const window = outline.slice(at, at + max + 2)
  const paragraph = window.lastIndexOf('\n\n', max)
  const line = Math.max(window.lastIndexOf('\n', max), window.lastIndexOf('\r', max))
  const word = Math.max(line, window.lastIndexOf(' ', max))
  const best = [paragraph, line].find((end) => end >= max / 2) ?? word
  return at + (best > 0 ? best : signEnd(window, max))
}

function signEnd(window: string, max: number): number {
  const start = graphemes.segment(window).containing(max)?.index ?? 0
  if (start > 0) return start
  return window.slice(0, max).isWellFormed() ? max : max - 1
}

/** How many characters are left out at a cut. The indent of code stays. */
function gapAt(outline: string, end: number): number {
  GAP.lastIndex = end
  return GAP.exec(outline)?.[0].length ?? 0
}

const GAP = /\r|\n+| +/y

/** Returns a function that cuts a piece out of the text, without spaces at its end. */
function cutter(spans: readonly Span[]): (from: number, to: number) => Span[] {
  const starts: number[] = []
  let length = 0
  for (const { text } of spans) {
    starts.push(length)
    length += text.length
  }
  return (from, to) => {
    const piece: Span[] = []
    const first = bisect(spans.length, (index) => (starts[index] ?? 0) > from) - 1
    for (let index = Math.max(0, first); index < spans.length; index++) {
      const { text, look } = spans[index] as Span
      const start = starts[index] ?? 0
      if (start >= to) break
      piece.push({ text: text.slice(Math.max(0, from - start), to - start), look })
    }
    return trimmedEnd(piece)
  }
}

function trimmedEnd(piece: Span[]): Span[] {
  for (;;) {
    const last = piece.pop()
    const text = last?.text.trimEnd() ?? ''
    if (last === undefined) return piece
    if (text !== '') return [...piece, { ...last, text }]
  }
}
