import { signsOf, widthOf } from '../../../base/width.ts'
import { TAB } from '../text/neutral.ts'

/** A row of the input box: the characters from `start` up to `end`, which is where the next row or a line break begins. */
export interface Row {
  readonly start: number
  readonly end: number
}

export interface Place {
  readonly row: number
  /** In columns of the terminal. */
  readonly column: number
}

/** The text in rows of at most `columns`. There is always at least one row; `end` excludes a line break. */
export function rowsOf(text: string, columns: number): Row[] {
  const rows: Row[] = []
  let start = 0
  for (const line of text.split('\n')) {
    for (const row of lineRows(line, start, Math.max(2, columns))) rows.push(row)
    start += line.length + 1
  }
  return rows
}

export function rowText(text: string, { start, end }: Row): string {
  return text.slice(start, end).replaceAll('\t', TAB)
}

export function placeOf(text: string, rows: readonly Row[], cursor: number): Place {
  // The last row that begins at or before the cursor: between two rows of one line it belongs to the second.
  const row = Math.max(
    0,
    rows.findLastIndex(({ start }) => start <= cursor),
  )
  const start = rows[row]?.start ?? 0
  return { row, column: widthOf(rowText(text, { start, end: cursor })) }
}

/** The place in the text that is nearest to a column of a row. */
export function cursorAt(text: string, rows: readonly Row[], { row, column }: Place): number {
  const found = rows[row]
  if (found === undefined) return text.length
  let cursor = found.start
  let width = 0
  for (const sign of signsOf(text.slice(found.start, found.end))) {
    const wide = sign.text === '\t' ? TAB.length : sign.width
    if (width + wide > column) break
    width += wide
    cursor += sign.text.length
  }
  // The end of a wrapped row is also the start of the next, where the cursor would be drawn: stay one sign before it.
  const isContinued = cursor === found.end && rows[row + 1]?.start === cursor && cursor > found.start
  return isContinued ? previousSign(text, cursor) : cursor
}

export function previousSign(text: string, cursor: number): number {
  const before = text.slice(Math.max(0, cursor - NEAR), cursor)
  return cursor - (signsOf(before).at(-1)?.text.length ?? 0)
}

export function nextSign(text: string, cursor: number): number {
  return cursor + (signsOf(text.slice(cursor, cursor + NEAR))[0]?.text.length ?? 0)
}

/** No sign is longer than this in practice. Searching a whole pasted book for each key would be slow. */
const NEAR = 256

function lineRows(line: string, offset: number, columns: number): Row[] {
  if (line.length <= columns && /^[\x20-\x7E]*$/.test(line))
    return [{ start: offset, end: offset + line.length }]
  const rows: Row[] = []
  let start = 0
  let at = 0
  let width = 0
  let breakAt = 0
  for (const sign of signsOf(line)) {
    const wide = sign.text === '\t' ? TAB.length : sign.width
    // Spaces may hang over the edge. After a break at a space, a tab may still not fit, so this loops.
    while (width + wide > columns && sign.text !== ' ' && at > start) {
      const end = breakAt > start ? breakAt : at
      rows.push({ start: offset + start, end: offset + end })
      width = widthOf(line.slice(end, at).replaceAll('\t', TAB))
      start = end
    }
    at += sign.text.length
    width += wide
    if (sign.text === ' ' || sign.width > 1) breakAt = at
  }
  return [...rows, { start: offset + start, end: offset + line.length }]
}
