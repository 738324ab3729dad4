/** What is in memory.md: Markdown that people edit. Each line of a list is a memory line; the rest is theirs. */

/** In the workspace. */
export const MEMORY_FILE = 'memory.md'
export const LINE_CHARACTERS_MAX = 500
export const LINES_MAX = 500

/** The memory lines, in their order, without what makes them a list. */
export function memoryLines(text: string): string[] {
  return rowsOf(text)
    .flatMap((row) => textIn(row) ?? [])
    .slice(0, LINES_MAX)
}

/** Behind the last memory line. Everything else stays as it is, byte for byte. */
export function addLine(text: string, line: string): string {
  const words = plain(line)
  if (words === '') return text
  if (text.trim() === '') return `# Memory\n\n- ${words}\n`
  const rows = rowsOf(text)
  const last = rows.findLastIndex((row) => textIn(row) !== undefined)
  const end = rows.find(({ ending }) => ending !== '')?.ending ?? '\n'
  if (last < 0) {
    const gap = rows.at(-1)?.ending === '' ? end + end : rows.at(-1)?.words.trim() === '' ? '' : end
    return `${text}${gap}- ${words}${end}`
  }
  const bullet = LIST_LINE.exec(rows[last]?.words ?? '')?.groups?.['bullet'] ?? '-'
  const place = itemEnd(rows, last)
  const before = joined(rows.slice(0, place))
  const isOpen = rows[place - 1]?.ending === ''
  const added = isOpen ? `${end}${bullet} ${words}` : `${bullet} ${words}${end}`
  return `${before}${added}${joined(rows.slice(place))}`
}

/** Undefined: no memory line says `old`. */
export function replaceLine(text: string, old: string, line: string): string | undefined {
  const words = plain(line)
  const rows = rowsOf(text)
  const at = placeOf(rows, old)
  if (at === undefined || words === '') return undefined
  return joined(rows.map((row, index) => (index === at ? { ...row, words: leadOf(row) + words } : row)))
}

/** With what is indented below it. Undefined: no memory line says `old`. */
export function removeLine(text: string, old: string): string | undefined {
  const rows = rowsOf(text)
  const at = placeOf(rows, old)
  return at === undefined ? undefined : joined(rows.toSpliced(at, itemEnd(rows, at) - at))
}

/** What goes into the system text: nothing for a file that remembers nothing yet. */
export function memoryPart(text: string): string {
  return memoryLines(text).length === 0 ? '' : text.trim()
}

interface Row {
  readonly words: string
  /** What ends it in this file; empty for a last row that nothing ends. */
  readonly ending: string
}

const ROW = /(?<words>[^\r\n]*)(?<ending>\r\n|\n|\r|$)/g

function rowsOf(text: string): Row[] {
  const rows: Row[] = []
  for (const { groups = {} } of text.matchAll(ROW)) {
    const { words = '', ending = '' } = groups
    if (words !== '' || ending !== '') rows.push({ words, ending })
  }
  return rows
}

function joined(rows: readonly Row[]): string {
  return rows.map(({ words, ending }) => words + ending).join('')
}

const LIST_LINE = /^(?<lead>\s*(?<bullet>[-*])\s+)(?<words>\S.*)$/su
/** `* * *` is drawn as a rule. */
const RULE = /^\s*(?:(?:-\s*){3,}|(?:\*\s*){3,})$/u

function textIn({ words }: Row): string | undefined {
  const said = RULE.test(words) ? undefined : LIST_LINE.exec(words)?.groups?.['words']
  const text = said === undefined ? '' : plain(said)
  return text === '' ? undefined : text
}

function leadOf({ words }: Row): string {
  return LIST_LINE.exec(words)?.groups?.['lead'] ?? '- '
}

function placeOf(rows: readonly Row[], old: string): number | undefined {
  const sought = plain(old)
  const at = rows.findIndex((row) => textIn(row) === sought)
  return at < 0 ? undefined : at
}

/** Behind a list line and what is indented below it: that belongs to it. */
function itemEnd(rows: readonly Row[], at: number): number {
  const isOwn = (row: Row): boolean => /^\s+\S/u.test(row.words) && textIn(row) === undefined
  let end = at + 1
  for (let row = rows[end]; row !== undefined && isOwn(row); row = rows[end]) end++
  return end
}

/** On one line and not too long, so that what is read is what was written. */
function plain(line: string): string {
  const whole = line.toWellFormed().replaceAll(/\s+/gu, ' ').trim()
  return whole
    .slice(0, LINE_CHARACTERS_MAX)
    .replace(/[\uD800-\uDBFF]$/u, '')
    .trim()
}
