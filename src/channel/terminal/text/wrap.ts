import type { Paint } from '../../../base/style.ts'
import { type Sign, signsOf, widthOf } from '../../../base/width.ts'
import { neutral } from './neutral.ts'

/** Text in one style. */
export interface Span {
  readonly text: string
  readonly paint: Paint
}

/** A line as it goes to the terminal, and its width in columns. */
export interface Line {
  readonly text: string
  readonly width: number
}

interface Cell extends Sign {
  readonly paint: Paint
}

export const unpainted: Paint = (text) => text
export const EMPTY: Line = { text: '', width: 0 }

/**
 * Wraps spans to lines of at most `columns`: after spaces and beside wide signs, or else where the line is full. Control
 * characters are neutralised, except for the spans' own colours.
 */
export function wrap(spans: readonly Span[], columns: number): Line[] {
  return splitLines(cellsOf(spans, columns)).flatMap((cells) => wrapLine(cells, columns))
}

/** Breaks lines only where they are too long, and keeps all spaces. */
export function cut(spans: readonly Span[], columns: number): Line[] {
  return splitLines(cellsOf(spans, columns)).flatMap((cells) => {
    const lines: Line[] = []
    let start = 0
    let width = 0
    for (const [index, cell] of cells.entries()) {
      if (width + cell.width > columns) {
        lines.push(lineOf(cells.slice(start, index)))
        start = index
        width = 0
      }
      width += cell.width
    }
    return [...lines, lineOf(cells.slice(start))]
  })
}

export function prefixed(lines: readonly Line[], first: Line, rest: Line): Line[] {
  return lines.map(({ text, width }, index) => {
    const prefix = index === 0 ? first : rest
    return { text: prefix.text + text, width: prefix.width + width }
  })
}

export function lineFrom(text: string, paint: Paint = unpainted): Line {
  return { text: paint(text), width: widthOf(text) }
}

function cellsOf(spans: readonly Span[], columns: number): Cell[] {
  return spans.flatMap(({ text, paint }) =>
    signsOf(neutral(text)).map((sign) =>
      sign.width > columns ? { text: '…', width: 1, paint } : { text: sign.text, width: sign.width, paint },
    ),
  )
}

function splitLines(cells: readonly Cell[]): Cell[][] {
  const lines: Cell[][] = [[]]
  for (const cell of cells) {
    if (cell.text === '\n') lines.push([])
    else lines.at(-1)?.push(cell)
  }
  return lines
}

function wrapLine(cells: readonly Cell[], columns: number): Line[] {
  const lines: Line[] = []
  let line: Cell[] = []
  let width = 0
  let breakAt = 0
  for (const cell of cells) {
    const isSpace = cell.text === ' '
    // A space that does not fit is the break itself.
    if (isSpace && width + 1 > columns) breakAt = line.length
    if (isSpace && (width + 1 > columns || (line.length === 0 && lines.length > 0))) continue
    if (cell.width > 1) breakAt = line.length
    if (width + cell.width > columns) {
      const at = breakAt > 0 ? breakAt : line.length
      lines.push(lineOf(line.slice(0, at)))
      line = line.slice(at)
      width = line.reduce((sum, each) => sum + each.width, 0)
      breakAt = 0
    }
    line.push(cell)
    width += cell.width
    if (isSpace || cell.width > 1) breakAt = line.length
  }
  return [...lines, lineOf(line)]
}

/** Drops spaces at the end, and paints neighbours of the same style together. */
function lineOf(cells: readonly Cell[]): Line {
  const shown = cells.slice(0, cells.findLastIndex(({ text }) => text !== ' ') + 1)
  let text = ''
  let run = ''
  let paint = unpainted
  for (const cell of shown) {
    if (cell.paint !== paint) {
      text += paint(run)
      run = ''
      paint = cell.paint
    }
    run += cell.text
  }
  return { text: text + paint(run), width: shown.reduce((sum, { width }) => sum + width, 0) }
}

/** The columns left beside a sign. */
export function roomBeside(sign: string, { columns }: { readonly columns: number }): number {
  return Math.max(1, columns - sign.length)
}

/** Lines beside a sign: the first has the sign before it, the others are indented by its width. */
export function beside(lines: readonly Line[], sign: string, paint: Paint): Line[] {
  return prefixed(lines, lineFrom(sign, paint), lineFrom(' '.repeat(sign.length)))
}

/**
 * Wraps plain text to `columns`. Indented lines, list items, rows of a table (`  --kind K    text`) and rows of a tree
 * continue under their own text, with the lines of the tree beside them.
 */
export function hangingLines(text: string, columns: number): Line[] {
  const rows = text.split('\n')
  return rows.flatMap((row, index) => hangingRow(row, rows[index + 1] ?? '', columns))
}

/** One row; the next row says whether a tree continues below it. */
export function hangingRow(row: string, next: string, columns: number): Line[] {
  const whole = wrap([{ text: row, paint: unpainted }], columns)
  const { lead, below } = leadOf(row, next)
  if (whole.length === 1 || below.length > columns * INDENT_MAX) return whole
  const rest = wrap([{ text: row.slice(lead.length), paint: unpainted }], columns - below.length)
  return prefixed(rest, lineFrom(lead), lineFrom(below))
}

/** A share of the columns: a deeper indent would leave little room. */
const INDENT_MAX = 0.4
const TREE = /^(?:│ {2}| {3})*[├└]─ /
const POINT = /^ *(?:- |\S.*? {2,}(?=\S))?/

function leadOf(row: string, next: string): { readonly lead: string; readonly below: string } {
  const [lead] = TREE.exec(row) ?? []
  if (lead === undefined && !TREE.test(next)) {
    const [point = ''] = POINT.exec(row) ?? []
    return { lead: point, below: ' '.repeat(point.length) }
  }
  const under = (lead ?? '').replace('├', '│').replaceAll(/[└─]/g, ' ')
  const isBranching = next.startsWith(under) && /^[├└]/.test(next.slice(under.length))
  return { lead: lead ?? '', below: `${under}${isBranching ? '│  ' : '   '}` }
}
