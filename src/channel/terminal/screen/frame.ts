import { oneLine, padTo, shorten, widthOf } from '../../../base/width.ts'
import { type Place, type Row, placeOf, rowText, rowsOf } from '../input/editor-rows.ts'
import type { Live } from './live.ts'
import type { Look } from '../text/look.ts'
import { neutral } from '../text/neutral.ts'
import { type Picker, pickerLines, pickerSentences } from './picker.ts'
import type { Prompt } from '../input/prompt.ts'
import { branchText, modelTexts, statusLine, statusSentence } from './status-line.ts'
import { callLine } from '../text/transcript.ts'
import type { Entry } from '../port.ts'
import { type Line, hangingLines } from '../text/wrap.ts'

/** The part that is repainted: the answer being written, running calls, the question, the input box, the status. */
export interface Frame {
  readonly lines: readonly string[]
  readonly cursor: { readonly x: number; readonly y: number } | undefined
}

export interface FrameState {
  readonly look: Look
  readonly rows: number
  readonly live: Live
  readonly prompt: Prompt
  /** The question to the person. */
  readonly picker: Picker | null
  /** The first row of the text that the box shows. */
  readonly scroll: number
  /** Shown instead of the status for a moment. */
  readonly hint: string | null
  /** Messages that wait for the running turn, in the order in which they will be answered. */
  readonly queued: readonly string[]
  /** The call that is open, and which one it is of how many. */
  readonly opened: {
    readonly entry: Extract<Entry, { kind: 'tool' }>
    readonly number: number
    readonly total: number
  } | null
  readonly isStopping: boolean
  readonly now: number
  /** The last lines of the answer being written, at most so many. */
  readonly answer: (rows: number) => { readonly lines: readonly Line[]; readonly above: number }
}

/**
 * Two rows less than the screen. One is where the cursor rests below the frame: a frame that fills the screen cannot
 * be repainted without flicker. With the other it never begins in the corner: tmux takes erasing from there for
 * clearing the screen, and would keep a copy of every frame in its history.
 */
export function frameOf(state: FrameState): Frame {
  const rowsMax = Math.max(1, state.rows - 2)
  const box = boxOf(state, rowsMax)
  const room = rowsMax - box.lines.length
  const asked = withGap(state.picker === null ? [] : pickerLines(state.picker, state.look, room - 2))
  const queued = withGap(queuedLines(state, Math.min(CALLS_MAX, Math.floor((room - asked.length) / 3))))
  const left = room - asked.length - queued.length
  const calls = withGap(doingLines(state, Math.min(CALLS_MAX, Math.floor(left / 2))))
  const opened = withGap(openedLines(state, left - calls.length - 2))
  const above = withGap(answerLines(state, left - calls.length - opened.length - 2))
  const lines = [...above, ...calls, ...queued, ...opened, ...asked, ...(room > 0 ? [''] : []), ...box.lines]
  const shown = lines.slice(-rowsMax)
  return {
    lines: shown,
    cursor: { x: box.cursor.column, y: shown.length - box.lines.length + box.cursor.row },
  }
}

function withGap(lines: readonly string[]): readonly string[] {
  return lines.length > 0 ? ['', ...lines] : []
}

/** For a screen reader: no frame, no motion, and the input last, where the cursor is. */
export function spokenFrameOf(state: FrameState): Frame {
  const { live, prompt, picker, hint, queued, isStopping, now } = state
  const commands = slowCommands(live, now).map((text) => oneLine(`Running ${text}.`))
  const doing = live.turn === null ? commands : [isStopping ? 'Stopping.' : 'Working. Press Esc to stop.']
  const offers = (prompt.menu?.offers ?? []).map(({ label, help }) => oneLine(`${label}: ${help}`))
  const chosen = prompt.menu?.chosen ?? null
  const menu = chosen === null ? offers : [`Chosen: ${offers[chosen] ?? ''}`]
  const searched = prompt.search ? [searchText(prompt.search), SEARCH_KEYS] : []
  const asked = picker === null ? [] : pickerSentences(picker)
  const waiting = queued.map((text) => oneLine(`Waiting: ${text}`))
  const opened = openedLines(state, SPOKEN_ROWS_MAX)
  const lines = [
    hint ?? statusSentence(live.status),
    ...doing,
    ...waiting,
    ...opened,
    ...asked,
    ...searched,
    ...menu,
  ]
  return { lines: [...lines, `> ${prompt.editor.text.replaceAll('\t', ' ')}`], cursor: undefined }
}

/** The scroll position that keeps the cursor visible and moves as little as possible. */
export function scrolled(
  scroll: number,
  cursorRow: number,
  { total, shown }: { total: number; shown: number },
): number {
  const least = Math.max(0, cursorRow - shown + 1)
  const most = Math.min(cursorRow, Math.max(0, total - shown))
  return Math.min(Math.max(scroll, least), Math.max(most, least))
}

/** The columns of the line below the box. */
export function footColumns(columns: number): number {
  return columns - FOOT.length
}

/** The columns of the text in the box. One is left for the cursor behind the last sign. */
export function textColumns(columns: number): number {
  return Math.max(2, columns - FRAME.length - 1)
}

export function textRowsMax(rows: number): number {
  return Math.max(1, Math.min(TEXT_ROWS_MAX, Math.floor((rows - 4) / 2)))
}

const FRAME = '│ '
const HEAD = '╭─ '
const FOOT = '╰─ '
const HELP_COLUMNS_MIN = 8
const SPOKEN_ROWS_MAX = 40
const TEXT_ROWS_MAX = 8
const CALLS_MAX = 4
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const SPIN_MS = 120
const PLACEHOLDER = 'Write a message, or / for commands.'

function boxOf(state: FrameState, rowsMax: number): { lines: readonly string[]; cursor: Place } {
  const { style, columns } = state.look
  const { text, cursor } = state.prompt.editor
  const rows = rowsOf(text, textColumns(columns))
  const place = placeOf(text, rows, cursor)
  const shown = rows.slice(state.scroll, state.scroll + textRowsMax(state.rows))
  const texts = shown.map((row) => style.dim(FRAME) + textLine(state, row))
  const column = FRAME.length + Math.min(place.column, textColumns(columns))
  if (rowsMax < texts.length + 2) return { lines: texts.slice(0, rowsMax), cursor: { row: 0, column } }
  const menu = [...searchLines(state), ...menuLines(state)].slice(0, rowsMax - texts.length - 2)
  const lines = [headLine(state, { place, total: rows.length }), ...texts, ...menu, footLine(state)]
  return { lines, cursor: { row: 1 + place.row - state.scroll, column } }
}

function textLine({ prompt, look, live }: FrameState, row: Row): string {
  const { text } = prompt.editor
  if (text !== '') return shorten(neutral(rowText(text, row)).trimEnd(), textColumns(look.columns))
  // Without colours the placeholder would look like typed text.
  if (look.colour === 'plain' || live.turn !== null) return ''
  return look.style.dim(shorten(PLACEHOLDER, textColumns(look.columns)))
}

/** The branch, the model, and what happens there. If it is too narrow, the model's name is dropped first. */
function headLine(state: FrameState, { place, total }: { place: Place; total: number }): string {
  const { style, columns } = state.look
  const { status, turn } = state.live
  const doing = turn === null ? [] : turnTexts(state, turn.startedAt)
  const isCut = total > textRowsMax(state.rows)
  const rest = [...doing, ...(isCut ? [`row ${place.row + 1} of ${total}`] : [])]
  const branch = shorten(branchText(status), columns - HEAD.length)
  const room = columns - HEAD.length - widthOf(branch)
  const forms = [...modelTexts(status.model).map((model) => [model, ...rest]), rest].map(afterDots)
  const text = forms.find((form) => widthOf(form) <= room) ?? shorten(afterDots(rest), room)
  return style.dim(HEAD) + style.bold(branch) + style.dim(text)
}

function afterDots(texts: readonly string[]): string {
  return texts.map((text) => ` · ${text}`).join('')
}

function turnTexts({ isStopping, now }: FrameState, startedAt: number): string[] {
  const doing = isStopping ? 'stopping' : 'working'
  const spent = `${spinner(now)} ${doing} ${spanText(now - startedAt)}`
  return isStopping ? [spent] : [spent, 'Esc to stop']
}

function footLine({ hint, live, look, prompt }: FrameState): string {
  const { style, columns } = look
  const room = footColumns(columns)
  const told = hint ?? (prompt.search ? SEARCH_KEYS : null)
  const text = told === null ? statusLine(live.status, style, room).text : style.bold(shorten(told, room))
  return style.dim(FOOT) + text
}

const SEARCH_KEYS = 'Ctrl-R finds an older one · Enter sends · Tab edits · Esc goes back'

function searchText({ words, at }: NonNullable<Prompt['search']>): string {
  return oneLine(`History search: ${words}${words !== '' && at === -1 ? ' (nothing found)' : ''}`)
}

function searchLines({ prompt, look: { style, columns } }: FrameState): string[] {
  return prompt.search
    ? [style.dim(FRAME) + style.cyan(shorten(searchText(prompt.search), textColumns(columns)))]
    : []
}

function menuLines({ prompt, look }: FrameState): string[] {
  const { style, columns } = look
  const { offers = [], chosen = null } = prompt.menu ?? {}
  const labels = offers.map(({ label }) => shorten(oneLine(label), Math.max(8, Math.floor(columns / 2))))
  const labelColumns = Math.max(0, ...labels.map(widthOf))
  return offers.map(({ help }, index) => {
    const isChosen = index === chosen
    const label = padTo(labels[index] ?? '', labelColumns)
    const sign = isChosen ? '▸ ' : '  '
    const room = columns - FRAME.length - sign.length - labelColumns - 2
    const more = room < HELP_COLUMNS_MIN ? '' : `  ${shorten(oneLine(help), room)}`
    return style.dim(FRAME) + (isChosen ? style.bold(sign + label) : sign + label) + style.dim(more)
  })
}

function doingLines({ live, look, now }: FrameState, rows: number): string[] {
  const doing = [...live.calls, ...slowCommands(live, now).map((name) => ({ name, summary: '…' }))]
  const lines = doing.map((each) => look.style.dim(callLine(each, `${spinner(now)} `, look.columns).text))
  return firstOf(lines, rows, look)
}

function queuedLines({ queued, look }: FrameState, rows: number): string[] {
  const room = look.columns - QUEUED.length
  const lines = queued.map((text) => look.style.dim(`› ${shorten(oneLine(text), room)}${QUEUED.slice(2)}`))
  return firstOf(lines, rows, look)
}

const QUEUED = '›  (waiting)'

/** The call whose line the person has opened: its line, its arguments and its result. */
function openedLines({ opened, look }: FrameState, rows: number): string[] {
  if (opened === null) return []
  const { entry, number, total } = opened
  const which = total === 1 ? '' : ` · call ${number} of ${total}, Up and Down for others`
  const head = callLine(entry, '▾ ', look.columns).text
  const details = hangingLines(entry.details ?? 'No details.', look.columns - INDENT.length)
  return firstOf(
    [
      look.style.bold(head),
      look.style.dim(shorten(`${INDENT}Ctrl-O closes it${which}`, look.columns)),
      ...details.map(({ text }) => INDENT + text),
    ],
    rows,
    look,
  )
}

const INDENT = '  '

/** The first lines, and how many more there are. */
function firstOf(lines: readonly string[], rows: number, { style, columns }: Look): string[] {
  if (lines.length <= rows) return [...lines]
  const kept = lines.slice(0, Math.max(0, rows - 1))
  const more = lines.length - kept.length
  return rows < 1 ? [] : [...kept, style.dim(shorten(`… and ${more} more`, columns))]
}

/** Not shown while a turn runs: most commands wait for its end, and the turn is shown already. */
function slowCommands({ turn, commands }: Live, now: number): string[] {
  return turn === null ? commands.filter(({ at }) => now - at >= SLOW_MS).map(({ text }) => text) : []
}

/** A command that takes less time is not shown as running. */
export const SLOW_MS = 300

function answerLines(state: FrameState, rows: number): string[] {
  if (rows < 1) return []
  const { lines, above } = state.answer(rows)
  if (above === 0) return lines.map(({ text }) => text)
  const { style, columns } = state.look
  const shown = lines.slice(1).map(({ text }) => text)
  return [style.dim(shorten(`⋮ ${above + 1} lines above`, columns)), ...shown]
}

function spinner(now: number): string {
  return SPINNER[Math.floor(now / SPIN_MS) % SPINNER.length] ?? '·'
}

function spanText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
