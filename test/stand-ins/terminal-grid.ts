import { signsOf } from '../../src/base/width.ts'

const ESC = '\u001B'
const SEQUENCE = new RegExp(`^${ESC}(?:\\[([?>=]?)([\\d;]*)([@-~])|([78]))`)
const UNFINISHED = new RegExp(`^${ESC}(?:\\[[?>=]?[\\d;]*)?$`)
const BELL = '\u0007'
const CALL = new RegExp(`^${ESC}(?:\\](\\d+;[^${BELL}${ESC}]*)${BELL}|\\[2[23];0t)`)
const KNOWN_MODES = new Set(['?25', '?2004', '?2026'])

/** As much of a terminal as a well-behaved screen needs. Unknown sequences are kept for a test to look at. */
export class TerminalGrid {
  readonly modes = new Set(['?25'])
  readonly surprises: string[] = []
  /** Bells, and what was written to the window title or to the desktop. */
  readonly calls: string[] = []
  #columns: number
  #rows: number
  #grid: string[][]
  readonly #history: string[] = []
  #x = 0
  #y = 0
  #saved = { x: 0, y: 0 }
  #pending = ''

  constructor(columns: number, rows: number) {
    this.#columns = columns
    this.#rows = rows
    this.#grid = Array.from({ length: rows }, () => [])
  }

  rows(): string[] {
    return this.#grid.map(textOf)
  }

  text(): string {
    return [...this.#history, ...this.rows()].join('\n').trimEnd()
  }

  cursor(): { x: number; y: number; isShown: boolean } {
    return { x: this.#x, y: this.#y, isShown: this.modes.has('?25') }
  }

  /** Does not wrap lines again: some terminals do, some do not. */
  resize(columns: number, rows: number): void {
    while (this.#grid.length > rows && this.#grid.length - 1 > this.#y) this.#grid.pop()
    while (this.#grid.length > rows) this.#scroll()
    while (this.#grid.length < rows) this.#grid.push([])
    this.#columns = columns
    this.#rows = rows
    this.#x = Math.min(this.#x, columns - 1)
    this.#y = Math.max(0, Math.min(this.#y, rows - 1))
  }

  write(data: string): void {
    let rest = this.#pending + data
    this.#pending = ''
    while (rest !== '') {
      const at = rest.search(/\p{Cc}/u)
      const plain = at === -1 ? rest : rest.slice(0, at)
      for (const { text, width } of signsOf(plain)) this.#put(text, width)
      rest = rest.slice(plain.length)
      if (UNFINISHED.test(rest)) {
        this.#pending = rest
        return
      }
      if (rest !== '') rest = rest.slice(this.#control(rest))
    }
  }

  #control(rest: string): number {
    const first = rest.charAt(0)
    if (first === '\n') {
      this.#x = 0
      this.#down()
    } else if (first === '\r') this.#x = 0
    else if (first === BELL) this.calls.push('bell')
    else if (first !== ESC) this.surprises.push(JSON.stringify(first))
    if (first !== ESC) return 1
    const [call, words] = CALL.exec(rest) ?? []
    if (call !== undefined) {
      this.calls.push(words ?? call.slice(1))
      return call.length
    }
    const [whole, mark = '', numbers = '', final = '', single] = SEQUENCE.exec(rest) ?? []
    if (whole === undefined) {
      this.surprises.push(JSON.stringify(rest.slice(0, 20)))
      return 1
    }
    if (single === '7') this.#saved = { x: this.#x, y: this.#y }
    else if (single === '8') this.#restore()
    else if (mark === '') this.#move(final, numbers, whole)
    else this.#mode(mark + numbers, final, whole)
    return whole.length
  }

  #restore(): void {
    this.#x = this.#saved.x
    this.#y = this.#saved.y
  }

  #mode(mode: string, final: string, whole: string): void {
    if (!KNOWN_MODES.has(mode) || !/[hl]/.test(final)) this.surprises.push(JSON.stringify(whole))
    if (final === 'h') this.modes.add(mode)
    if (final === 'l') this.modes.delete(mode)
  }

  #move(final: string, numbers: string, whole: string): void {
    const [first = 0, second = 0] = numbers.split(';').map(Number)
    const count = Math.max(1, first)
    const bottom = this.#rows - 1
    if (final === 'A') this.#y = Math.max(0, this.#y - count)
    else if (final === 'B') this.#y = Math.min(bottom, this.#y + count)
    else if (final === 'C') this.#x = Math.min(this.#columns - 1, this.#x + count)
    else if (final === 'D') this.#x = Math.max(0, this.#x - count)
    else if (final === 'E') [this.#x, this.#y] = [0, Math.min(bottom, this.#y + count)]
    else if (final === 'G') this.#x = Math.min(this.#columns - 1, count - 1)
    else if (final === 'H')
      [this.#x, this.#y] = [Math.max(0, second - 1), Math.min(bottom, Math.max(0, first - 1))]
    else if (final === 'J') this.#eraseDown(first)
    else if (final === 'K') this.#eraseLine(first)
    else if (final !== 'm') this.surprises.push(JSON.stringify(whole))
  }

  #eraseDown(what: number): void {
    if (what === 2) this.#grid = this.#grid.map(() => [])
    else {
      this.#eraseLine(0)
      for (let y = this.#y + 1; y < this.#rows; y++) this.#grid[y] = []
    }
  }

  #eraseLine(what: number): void {
    const row = this.#grid[this.#y] ?? []
    this.#grid[this.#y] = what === 0 ? row.slice(0, this.#x) : what === 2 ? [] : row.fill(' ', 0, this.#x + 1)
  }

  #put(text: string, width: number): void {
    if (this.#x + width > this.#columns) {
      this.#x = 0
      this.#down()
    }
    const row = (this.#grid[this.#y] ??= [])
    while (row.length < this.#x) row.push(' ')
    if (width === 0 && this.#x > 0) row[this.#x - 1] += text
    else row[this.#x] = text
    for (let more = 1; more < width; more++) row[this.#x + more] = ''
    this.#x += width
  }

  #down(): void {
    if (this.#y < this.#rows - 1) this.#y += 1
    else {
      this.#scroll()
      this.#grid.push([])
      this.#y = this.#rows - 1
    }
  }

  #scroll(): void {
    this.#history.push(textOf(this.#grid.shift() ?? []))
    this.#y -= 1
  }
}

function textOf(row: readonly string[]): string {
  return Array.from(row, (cell) => cell ?? ' ')
    .join('')
    .trimEnd()
}
