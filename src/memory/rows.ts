/** A text as rows that can be joined again, byte for byte. */
export interface Row {
  readonly words: string
  /** What ends it in this file; empty for a last row that nothing ends. */
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

export function oneLineOf(text: string): string {
  return text.toWellFormed().replaceAll(/\s+/gu, ' ').trim()
}
