import { branchesByHandle, getBranch, type Branch } from '../../context/branch.ts'
import { flatten } from '../../context/list.ts'
import { countMessages } from '../../context/message-index.ts'
import { listOf, marksOf } from '../../context/version.ts'
import type { Event, Kind, Message } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import { isSummary, type Range } from '../../event/item.ts'
import type { Reader } from '../../event/table.ts'
import type { Style } from '../../base/style.ts'
import { padTo, shorten } from '../../base/width.ts'
import { counted } from '../../base/words.ts'

export interface Drawing {
  /** The branches whose lists are drawn. */
  readonly viewers: readonly BranchId[]
  readonly nameOf: (branch: BranchId) => string
  readonly style: Style
}

const LABEL = 14
/** The columns of a position. */
const CELL = 2

/**
 * The log as a row of signs for each branch, and under it what each viewer's list shows of that branch: a numbered
 * bracket for each range, a double one where a summary stands for the messages.
 */
export function drawLists(reader: Reader, drawing: Drawing): string[] {
  const views = drawing.viewers.map((id) => viewOf(reader, id))
  const shown = views.flatMap(({ spans }) => spans.filter(({ isSummarised }) => !isSummarised))
  const lanes = branchesByHandle(reader, '', Number.MAX_SAFE_INTEGER)
    .map((id) => getBranch(reader, id))
    .toSorted((a, b) => a.forkedAt - b.forkedAt)
  return [
    drawing.style.dim(`${padTo('position', LABEL)}${ruler(reader.end)}`.trimEnd()),
    ...lanes.flatMap((lane) => [
      laneLine(reader, lane, { drawing, shown }),
      ...views.flatMap((view) => bracketLine(view, lane, drawing)),
    ]),
  ]
}

/** The same list in words: `main shows 6 messages: [1] 4 · [2] 2 of fork`. */
export function describeList(reader: Reader, id: BranchId, nameOf: Drawing['nameOf']): string {
  const branch = getBranch(reader, id)
  const list = listOf(reader, branch)
  const counts = list.map((item) =>
    flatten(reader, item).reduce((sum, range) => sum + countMessages(reader, range), 0),
  )
  const shown = list.reduce((sum, item, index) => sum + (isSummary(item) ? 0 : (counts[index] ?? 0)), 0)
  const items = list.map((item, index) => {
    if (isSummary(item)) return `[${index + 1}] a summary of ${counts[index]}`
    return `[${index + 1}] ${counts[index]}${item.src === id ? '' : ` of ${nameOf(item.src)}`}`
  })
  const marks = marksOf(reader, branch).map(({ name }) => `⚑ ${name}`)
  const total = `${nameOf(id)} shows ${list.length === 0 ? 'nothing' : counted(shown, 'message')}`
  return [items.length === 0 ? total : `${total}: ${items.join(' · ')}`, ...marks].join('  ')
}

function columnOf(position: number): number {
  return (position - 1) * CELL
}

function ruler(end: number): string {
  const line = new Line()
  for (let position = 1; position <= end; position++)
    if (position === 1 || position % 5 === 0) line.put(columnOf(position), String(position))
  return line.text
}

type View = ReturnType<typeof viewOf>
type Span = View['spans'][number]

/** The ranges that a branch shows, each with the number of its item in the list. */
function viewOf(reader: Reader, id: BranchId) {
  const branch = getBranch(reader, id)
  const spans = listOf(reader, branch).flatMap((item, index) =>
    flatten(reader, item).map((range) => ({ range, number: index + 1, isSummarised: isSummary(item) })),
  )
  return { branch, spans }
}

function laneLine(
  reader: Reader,
  lane: Branch,
  { drawing: { style, nameOf }, shown }: { drawing: Drawing; shown: readonly Span[] },
): string {
  let line = style.bold(padTo(shorten(nameOf(lane.id), LABEL - 1), LABEL))
  for (let position = 1; position <= reader.end; position++) {
    const event = reader.event(position as Position)
    const isOwn = event.branch === lane.id
    const sign = isOwn ? signOf(event) : position > lane.forkedAt && !hasEnded(lane, position) ? '─' : ' '
    const isShown = isOwn && shown.some(({ range }) => holds(range, event))
    const isMessage = isOwn && event.kind === 'message-added'
    line += isShown ? style.bold(sign) : isOwn && !isMessage ? style.cyan(sign) : style.dim(sign)
    const goesOn = position >= lane.forkedAt && position < reader.end && !hasEnded(lane, position)
    line += style.dim((goesOn ? '─' : ' ').repeat(CELL - 1))
  }
  return line.trimEnd()
}

function hasEnded({ state }: Branch, position: number): boolean {
  return state.kind === 'ended' && position >= state.endedAt
}

function holds({ src, from, to }: Range, { branch, position }: Event): boolean {
  return src === branch && position >= from && position <= to
}

function bracketLine(view: View, lane: Branch, { nameOf, style }: Drawing): string[] {
  const spans = view.spans.filter(({ range }) => range.src === lane.id)
  if (spans.length === 0) return []
  const line = new Line()
  for (const span of spans) {
    const start = columnOf(span.range.from)
    line.put(start, bracket(columnOf(span.range.to) - start + 1, span))
  }
  const label = padTo(shorten(` ${nameOf(view.branch.id)} shows`, LABEL - 1), LABEL)
  return [`${style.dim(label)}${style.green(line.text)}`]
}

function bracket(width: number, { number, isSummarised }: Span): string {
  const [left, middle, right, label] = isSummarised
    ? ['╚', '═', '╝', `${number}Σ`]
    : ['╰', '─', '╯', `${number}`]
  if (width < 2) return isSummarised ? 'Σ' : label.slice(0, 1)
  const inner = width - 2
  if (label.length > inner) return `${left}${middle.repeat(inner)}${right}`
  const before = Math.floor((inner - label.length) / 2)
  return `${left}${middle.repeat(before)}${label}${middle.repeat(inner - label.length - before)}${right}`
}

/** Text put at columns in any order: a list may show a branch's later messages before its earlier ones. */
class Line {
  text = ''

  put(column: number, text: string): void {
    const before = this.text.slice(0, column).padEnd(column)
    this.text = `${before}${text}${this.text.slice(column + text.length)}`
  }
}

/** One sign of one column for each event; `legend` explains them. */
export function signOf(event: Event): string {
  if (event.kind === 'message-added') return MESSAGE_SIGNS[event.message.role]
  if (event.kind === 'context-cleared' && event.to === null) return '∅'
  return SIGNS[event.kind] ?? '·'
}

const SIGNS: Readonly<Partial<Record<Kind, string>>> = {
  'branch-created': '┌',
  'branch-ended': '┘',
  'mark-set': '⚑',
  'context-cleared': '↤',
  'context-compacted': 'Σ',
  'context-expanded': '≡',
  'context-saved': '⇐',
  'context-undone': '↶',
  'context-redone': '↷',
}

const MESSAGE_SIGNS: Readonly<Record<Message['role'], string>> = {
  user: '●',
  assistant: '○',
  tool: '◇',
  note: '▪',
}

export const legend: readonly string[] = [
  '● you   ○ the model   ┌ a branch begins   ┘ ends   ⚑ mark   ↤ rewind   ↶ undo',
  '↷ redo   ⇐ save   Σ compaction   ≡ expand',
  '╰─1─╯ shown, the first item of the list   ╚═1Σ═╝ a summary is shown in its place',
]
