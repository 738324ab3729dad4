import { type Line, lineFrom, prefixed, unpainted, wrap } from './wrap.ts'

/**
 * Plain text in lines of at most so many columns. What is indented, a point of a list or a row of a tree goes on under
 * its own text, and the tree goes on beside it.
 */
export function hangingLines(text: string, columns: number): Line[] {
  const rows = text.split('\n')
  return rows.flatMap((row, index) => hangingRow(row, rows[index + 1] ?? '', columns))
}

/** One row of it; what stands below it says whether a tree goes on there. */
export function hangingRow(row: string, next: string, columns: number): Line[] {
  const whole = wrap([{ text: row, paint: unpainted }], columns)
  const { lead, below } = leadOf(row, next)
  if (whole.length === 1 || below.length > columns * INDENT_MAX) return whole
  const rest = wrap([{ text: row.slice(lead.length), paint: unpainted }], columns - below.length)
  return prefixed(rest, lineFrom(lead), lineFrom(below))
}

/** Of the columns: a deeper indent would leave little room. */
const INDENT_MAX = 0.4
const TREE = /^(?:│ {2}| {3})*[├└]─ /
const POINT = /^ *(?:- )?/

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
