import { widthOf } from '../../base/width.ts'

const COLUMNS_MAX = 72

/** Rows with columns of one width under a ruled header; null if they are too wide. */
export function alignedTable(
  rows: readonly (readonly string[])[],
  aligns: readonly (string | null)[],
): string | null {
  const widths = aligns.map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? '')), 1),
  )
  const total = widths.reduce((sum, width) => sum + width + 3, -3)
  if (total > COLUMNS_MAX || rows.some((row) => row.some((cell) => cell.includes('\n')))) return null
  const [header = '', ...body] = rows.map((row) =>
    widths
      .map((width, column) => aligned(row[column] ?? '', width, aligns[column]))
      .join(' │ ')
      .trimEnd(),
  )
  return [header, widths.map((width) => '─'.repeat(width)).join('─┼─'), ...body].join('\n')
}

function aligned(text: string, width: number, align: string | null | undefined): string {
  const room = width - widthOf(text)
  const before = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0
  return ' '.repeat(before) + text + ' '.repeat(room - before)
}
