/** A row of a text. Joined rows are the same text, byte for byte. */
export interface Row {
  readonly words: string
  /** Its line end. Empty for a last row without one. */
  readonly ending: string
}

const ROW = /(?<words>[^\r\n]*)(?<ending>\r\n|\n|\r|$)/g

export function rowsOf(text: string): Row[] {
  const rows: Row[] = []
  for (const { groups = {} } of text.matchAll(ROW)) {
    const { words = '', ending = '' } = groups
    if (words !== '' || ending !== '') rows.push({ words, ending })
  }
  return rows
}

export function joined(rows: readonly Row[]): string {
  return rows.map(({ words, ending }) => words + ending).join('')
}

/** The text with another line before the row at `place`. Every other byte stays. */
export function insertLine(rows: readonly Row[], place: number, line: string): string {
  const end = rows[place - 1]?.ending
  const added = end === '' ? `${lineEnd(rows)}${line}` : `${line}${end ?? lineEnd(rows)}`
  return `${joined(rows.slice(0, place))}${added}${joined(rows.slice(place))}`
}

/** The text with another line at its end, apart from the text before it. */
export function appendLine(rows: readonly Row[], line: string): string {
  const [end, last] = [lineEnd(rows), rows.at(-1)]
  const gap = last?.ending === '' ? end + end : last?.words.trim() === '' ? '' : end
  return `${joined(rows)}${gap}${line}${end}`
}

/** What ends lines in this file. */
function lineEnd(rows: readonly Row[]): string {
  return rows.find(({ ending }) => ending !== '')?.ending ?? '\n'
}

export function oneLineOf(text: string): string {
  return text.toWellFormed().replaceAll(/\s+/gu, ' ').trim()
}
