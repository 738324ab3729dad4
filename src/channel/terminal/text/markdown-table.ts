import type { Tokens } from 'marked'
import { widthOf } from '../../../base/width.ts'
import { inlineSpans } from './markdown-inline.ts'
import type { Look } from './look.ts'
import { EMPTY, type Line, type Span, lineFrom, unpainted, wrap } from './wrap.ts'

type Align = 'left' | 'center' | 'right'

/** Columns side by side with wrapped texts. If there is no room for that, one line for each cell. */
export function tableLines(table: Tokens.Table, look: Look): Line[] {
  const rows = [table.header, ...table.rows].map((row) => row.map((cell) => cellSpans(cell, look)))
  const count = table.header.length
  const room = look.columns - GAP * (count - 1)
  if (count === 0 || room < count * NARROWEST) return recordLines(table, look)
  const columns = shares(rows, room)
  const aligns = table.align.map((align): Align => align ?? 'left')
  const [header = [], ...body] = rows
  return [
    ...rowLines(header, { columns, aligns, look }),
    lineFrom(columns.map((width) => '─'.repeat(width)).join('─┼─'), look.style.dim),
    ...body.flatMap((row) => rowLines(row, { columns, aligns, look })),
  ]
}

const GAP = 3
const NARROWEST = 5

function cellSpans(cell: Tokens.TableCell, look: Look): Span[] {
  return inlineSpans(cell.tokens, look, cell.header ? look.style.bold : unpainted)
}

/** Each column is as wide as its widest cell. If that is too much, the widest columns shrink most. */
function shares(rows: readonly (readonly Span[])[][], room: number): number[] {
  const wanted = (rows[0] ?? []).map((_, index) =>
    Math.max(1, ...rows.map((row) => widthOf((row[index] ?? []).map(({ text }) => text).join('')))),
  )
  const columns = wanted.map(() => 0)
  let left = room
  const byNeed = wanted.map((_, index) => index).toSorted((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))
  for (const [place, index] of byNeed.entries()) {
    const fair = Math.floor(left / (byNeed.length - place))
    columns[index] = Math.min(wanted[index] ?? 1, fair)
    left -= columns[index]
  }
  return columns
}

function rowLines(
  row: readonly (readonly Span[])[],
  { columns, aligns, look }: { columns: readonly number[]; aligns: readonly Align[]; look: Look },
): Line[] {
  const cells = columns.map((width, index) => wrap(row[index] ?? [], width))
  const height = cells.reduce((most, { length }) => Math.max(most, length), 0)
  const bar = look.style.dim(' │ ')
  return Array.from({ length: height }, (_, line) => {
    const texts = columns.map((width, index) => {
      const align = aligns[index] ?? 'left'
      return aligned(cells[index]?.[line] ?? EMPTY, align, width)
    })
    const total = columns.reduce((sum, width) => sum + width, 0) + GAP * (columns.length - 1)
    return { text: texts.join(bar), width: total }
  })
}

function aligned({ text, width }: Line, align: Align, columns: number): string {
  const room = Math.max(0, columns - width)
  const before = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0
  return ' '.repeat(before) + text + ' '.repeat(room - before)
}

function recordLines(table: Tokens.Table, look: Look): Line[] {
  return table.rows.flatMap((row, index) => {
    const lines = row.flatMap((cell, at) => {
      const title = inlineSpans(table.header[at]?.tokens ?? [], look, look.style.bold)
      return wrap(
        [...title, { text: ': ', paint: unpainted }, ...inlineSpans(cell.tokens, look)],
        look.columns,
      )
    })
    return index === 0 ? lines : [EMPTY, ...lines]
  })
}
