import { appendLine, insertLine, joined, oneLineOf, rowsOf, type Row } from './rows.ts'

/** Reads and edits todo.md, which people edit too. Each list line with a box is a to-do; other lines are left alone. */

/** In the workspace. */
export const TODO_FILE = 'todo.md'
export const TODO_CHARACTERS_MAX = 500

export interface TodoItem {
  /** Counted from 1 through the whole file, including done ones. */
  readonly number: number
  /** On one line, with single blanks. */
  readonly text: string
  readonly isDone: boolean
  /** How many to-dos it is nested in. */
  readonly depth: number
}

export function todoItems(text: string): TodoItem[] {
  return placedIn(rowsOf(text)).map(({ row: _row, ...item }) => item)
}

/** A to-do's text on one line, without a bullet or a box. */
export function plainTodo(words: string): string {
  const line = oneLineOf(words.replaceAll(/(?!\s)\p{Cc}/gu, ''))
  return line.replace(/^(?:(?:[-*+]|\d{1,9}[.)](?= \[)) |\[[ xX]?\] ?)+/u, '')
}

/** Adds a to-do after the last open one, or else after the last. Every other line stays, byte for byte. */
export function addTodo(text: string, words: string): { readonly text: string; readonly number: number } {
  const rows = rowsOf(text)
  const items = placedIn(rows)
  const line = plainTodo(words)
  const last = items.findLast(({ isDone }) => !isDone) ?? items.at(-1)
  if (last === undefined) {
    const isEmpty = text === '' || text === BOM
    const fresh = isEmpty ? `${text}# To do\n\n- [ ] ${line}\n` : appendLine(rows, `- [ ] ${line}`)
    return { text: fresh, number: 1 }
  }
  const above = items.findLast(({ row, depth }) => row <= last.row && depth === 0) ?? last
  const place = paragraphEnd(rows, blockEnd(rows, above.row))
  return {
    text: insertLine(rows, place, `${nextLead(rows[above.row])}[ ] ${line}`),
    number: items.filter(({ row }) => row < place).length + 1,
  }
}

/** Ticks a to-do's box, empties it or gives it other words; every other character stays. */
export function changeTodo(
  text: string,
  number: number,
  { isDone, text: words }: { readonly isDone?: boolean; readonly text?: string },
): string {
  const rows = rowsOf(text)
  const place = placedIn(rows).find((item) => item.number === number)?.row
  return joined(
    rows.map((row, at) => {
      const boxed = at === place ? boxedIn(row) : undefined
      if (boxed === undefined) return row
      const { lead, box, close, rest } = boxed
      const kept = words === undefined ? rest : plainTodo(words) + rest.slice(rest.trimEnd().length)
      const ticked = isDone === undefined ? box : isDone ? 'x' : ' '
      return { ...row, words: `${lead}${ticked}${close}${kept}` }
    }),
  )
}

/** Removes a to-do and everything below it. `gone`: the to-dos that were removed. */
export function withoutTodo(
  text: string,
  number: number,
): { readonly text: string; readonly gone: readonly TodoItem[] } {
  const rows = rowsOf(text)
  const items = placedIn(rows)
  const item = items.find((one) => one.number === number)
  if (item === undefined) return { text, gone: [] }
  const end = blockEnd(rows, item.row)
  const bom = item.row === 0 && text.startsWith(BOM) ? BOM : ''
  return {
    text: `${joined(rows.slice(0, item.row))}${bom}${joined(rows.slice(end))}`,
    gone: items.filter(({ row }) => row >= item.row && row < end).map(({ row: _row, ...one }) => one),
  }
}

const DUE = /\s*\(due \d{4}-\d\d-\d\d(?: \d\d:\d\d)?\)$/

/** `(due 2026-12-01 09:00)` at the end. Undefined: it has no date. */
export function dueOf(text: string): string | undefined {
  return DUE.exec(text)?.[0].trim()
}

export function withoutDue(text: string): string {
  return text.replace(DUE, '')
}

const BOM = '\uFEFF'

const BOXED =
  /^(?<lead>\uFEFF?[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[)(?<box>[ xX])(?<close>\][ \t]+)(?<rest>.*)$/su

function boxedIn({ words }: Row) {
  const { lead = '', box = '', close = '', rest = '' } = BOXED.exec(words)?.groups ?? {}
  return oneLineOf(rest) === '' ? undefined : { lead, box, close, rest }
}

interface Placed extends TodoItem {
  readonly row: number
}

function placedIn(rows: readonly Row[]): Placed[] {
  const inFence = fencedRows(rows)
  const items: Placed[] = []
  let above: number[] = []
  rows.forEach((row, at) => {
    const boxed = inFence.has(at) ? undefined : boxedIn(row)
    const indent = indentOf(row)
    if (boxed === undefined) {
      if (indent === 0 && row.words.trim() !== '') above = []
      return
    }
    above = above.filter((other) => other < indent)
    items.push({
      number: items.length + 1,
      text: oneLineOf(boxed.rest),
      isDone: boxed.box !== ' ',
      depth: above.length,
      row: at,
    })
    above.push(indent)
  })
  return items
}

const FENCE = /^[ \t]*(?<sign>`{3,}|~{3,})(?<info>.*)$/su

/** Rows of fenced examples, which hold no to-dos, each with its opening row. An open fence does not count. */
function fencedRows(rows: readonly Row[]): ReadonlyMap<number, number> {
  const inside = new Map<number, number>()
  let open: { readonly sign: string; readonly at: number } | undefined
  rows.forEach(({ words }, at) => {
    const { sign = '', info = '' } = FENCE.exec(words)?.groups ?? {}
    if (sign === '') return
    if (open === undefined) {
      if (!(sign.startsWith('`') && info.includes('`'))) open = { sign, at }
    } else if (sign.startsWith(open.sign) && info.trim() === '') {
      for (let row = open.at; row <= at; row++) inside.set(row, open.at)
      open = undefined
    }
  })
  return inside
}

const TAB = 4

function indentOf({ words }: Row): number {
  let width = 0
  for (const character of words.replace(BOM, '')) {
    if (character === ' ') width++
    else if (character === '\t') width += TAB - (width % TAB)
    else break
  }
  return width
}

/** The row after a to-do and everything indented below it. */
function blockEnd(rows: readonly Row[], at: number): number {
  const indent = indentOf(rows[at] ?? { words: '', ending: '' })
  const fenced = fencedRows(rows)
  const isFencedBelow = (row: number): boolean => {
    const opened = fenced.get(row) ?? -1
    return opened > at && opened < row
  }
  let end = at + 1
  for (let next = end; next < rows.length; next++) {
    const row = rows[next]
    if (row === undefined || (row.words.trim() === '' && !fenced.has(next))) continue
    if (indentOf(row) <= indent && !isFencedBelow(next)) break
    end = next + 1
  }
  return end
}

/** Lines that begin something new and don't continue a paragraph. */
const BEGINS = /^\s*(?:$|[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)|#|>|`{3}|~{3}|<|\||[-=_*]{2,})/u

/** A line that follows without an empty one belongs to the to-do, indented or not. */
function paragraphEnd(rows: readonly Row[], end: number): number {
  let place = end
  for (let row = rows[place]; row !== undefined && !BEGINS.test(row.words); row = rows[place]) place++
  return place
}

/** `- ` or `3. ` like the line above, with the next number. */
function nextLead(row: Row | undefined): string {
  const lead = (row && boxedIn(row)?.lead.replace(BOM, '').slice(0, -1)) ?? '- '
  return lead.replace(/\d+/, (digits) => (/^9{9}$/.test(digits) ? digits : String(Number(digits) + 1)))
}

/** To-dos as programs are shown them, which rely on the names. */
export function todosView(items: readonly TodoItem[]) {
  return items.map(({ text, ...item }) => {
    const due = dueOf(text)?.slice('(due '.length, -1) ?? null
    return { ...item, text: withoutDue(text), due }
  })
}
