import { appendLine, insertLine, joined, oneLineOf, rowsOf, type Row } from './rows.ts'

/** Reads and edits memory.md, which people edit too. Each list line is a memory line; other lines are left alone. */

/** In the workspace. */
export const MEMORY_FILE = 'memory.md'
export const LINE_CHARACTERS_MAX = 500
export const LINES_MAX = 500

/** The memory lines in order, without bullets. */
export function memoryLines(text: string): string[] {
  return rowsOf(text)
    .flatMap((row) => textIn(row) ?? [])
    .slice(0, LINES_MAX)
}

/** A memory line as it is written and compared: one line, single blanks. Undefined: too long; nothing is cut off. */
export function plainLine(text: string): string | undefined {
  const line = oneLineOf(text)
  return line.length > LINE_CHARACTERS_MAX ? undefined : line
}

/** How many other lines of the file a prompt has, without headings, rules and continuations of memory lines. */
export function otherLines(text: string): number {
  const rows = rowsOf(text)
  let count = 0
  for (let at = 0; at < rows.length;) {
    const row = rows[at]
    if (row === undefined) break
    const isLine = textIn(row) !== undefined
    if (!isLine && !EMPTY.test(row.words)) count++
    at = isLine ? itemEnd(rows, at) : at + 1
  }
  return count
}

/** Adds a line after the last memory line, unless it is there already, is empty or is too long. */
export function addLine(text: string, line: string): string {
  const words = plainLine(line) ?? ''
  const rows = rowsOf(text)
  if (words === '' || placeOf(rows, words) !== undefined) return text
  if (text.trim() === '') return `# Memory\n\n- ${words}\n`
  const last = rows.findLastIndex((row) => textIn(row) !== undefined)
  if (last < 0) return appendLine(rows, `- ${words}`)
  const bullet = LIST_LINE.exec(rows[last]?.words ?? '')?.groups?.['bullet'] ?? '-'
  return insertLine(rows, itemEnd(rows, last), `${bullet} ${words}`)
}

/** Undefined: no memory line says `old`, or the new one is empty or too long. */
export function replaceLine(text: string, old: string, line: string): string | undefined {
  const words = plainLine(line) ?? ''
  const rows = rowsOf(text)
  const at = placeOf(rows, old)
  if (at === undefined || words === '') return undefined
  return joined(rows.map((row, index) => (index === at ? { ...row, words: leadOf(row) + words } : row)))
}

/** The part of the system text, empty for a file without memories. */
export function memoryPart(text: string): string {
  return memoryLines(text).length === 0 ? '' : text.trim()
}

const LIST_LINE = /^(?<lead>\s*(?<bullet>[-*])\s+)(?<words>\S.*)$/su
/** `* * *` is drawn as a rule. */
const RULE = /^\s*(?:(?:-\s*){3,}|(?:\*\s*){3,})$/u
/** Headings, rules and empty bullets hold no memory. */
const EMPTY = /^\s*(?:#{1,6}(?:\s.*)?|[-*=_\s]*)$/su

function textIn({ words }: Row): string | undefined {
  const said = RULE.test(words) ? undefined : LIST_LINE.exec(words)?.groups?.['words']
  const text = said === undefined ? '' : shortened(said)
  return text === '' ? undefined : text
}

function leadOf({ words }: Row): string {
  return LIST_LINE.exec(words)?.groups?.['lead'] ?? '- '
}

function placeOf(rows: readonly Row[], old: string): number | undefined {
  const sought = plainLine(old)
  const at = rows.findIndex((row) => textIn(row) === sought)
  return at < 0 ? undefined : at
}

function isIndented(row: Row): boolean {
  return /^\s+\S/u.test(row.words) && textIn(row) === undefined
}

/** The row after a list line and everything indented below it. */
function itemEnd(rows: readonly Row[], at: number): number {
  let end = at + 1
  for (let row = rows[end]; row !== undefined && isIndented(row); row = rows[end]) end++
  return end
}

/** People may write longer lines, of which only this much counts. */
function shortened(line: string): string {
  return oneLineOf(line)
    .slice(0, LINE_CHARACTERS_MAX)
    .replace(/[\uD800-\uDBFF]$/u, '')
    .trim()
}
