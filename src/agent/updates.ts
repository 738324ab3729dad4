import { oneLine, shorten } from '../base/width.ts'
import { ageText } from '../base/words.ts'
import { getBranch, lineOf, type Branch } from '../context/branch.ts'
import { fence } from '../event/fence.ts'
import type { EventOf } from '../event/event.ts'
import type { BranchId, Position, TurnId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { runIn } from './run.ts'
import { turnTable, updatesShownTable, updateTable } from './tables.ts'

export type Update = EventOf<'update-reported'>

/** The main session that a branch belongs to; itself, if it is one. */
export function mainAbove(reader: Reader, branch: BranchId): BranchId | undefined {
  return lineOf(reader, getBranch(reader, branch)).find(({ mode }) => mode === 'main')?.id
}

/** Where what a main session was not told yet stands in the log, oldest first. */
export function pendingUpdates(reader: Reader, main: BranchId, after = 0): Position[] {
  const from = Math.max(shownTo(reader, main) ?? 0, after) + 1
  const stretch = { prefix: [main], from, order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
  const waiting = reader.rows(updateTable, stretch).filter((row) => row['settled'] === null)
  return waiting.map((row) => row['position'] as Position)
}

function shownTo(reader: Reader, branch: BranchId): number | undefined {
  return reader.row(updatesShownTable, [branch])?.['shown_to'] as number | undefined
}

/** What a message shows of them: with it they are told, or looked at. */
export interface ShownUpdates {
  readonly text: string
  readonly facts: NonNullable<EventOf<'message-added'>['updates']>
}

const LINES_MAX = 10
const LINE_CHARS_MAX = 1_000
const HEADINGS = {
  pop: 'RECENT BACKGROUND UPDATES (mention key findings in your response)',
  peek: 'RECENT BACKGROUND UPDATES (read-only — main session will also see these)',
} as const

/** What the branch's next message shows of what happened elsewhere; undefined when there is nothing, or not for it. */
export function updatesFor(reader: Reader, branch: Branch, now: number): ShownUpdates | undefined {
  const of = seesUpdates(reader, branch) ? mainAbove(reader, branch.id) : undefined
  if (of === undefined) return undefined
  const isOwn = of === branch.id
  const shown = pendingUpdates(reader, of, isOwn ? 0 : lookedTo(reader, branch))
  if (shown.length === 0) return undefined
  const omitted = shown.length <= LINES_MAX ? 0 : shown.length - (LINES_MAX - 1)
  const lines = shown.slice(omitted).map((position) => updateLine(updateAt(reader, position), now))
  // The host's own line needs no fence, and yet stands with what it counts.
  const counted = omitted === 0 ? [] : [`(${omitted} earlier update(s) omitted — cap reached)`]
  const text = `${HEADINGS[isOwn ? 'pop' : 'peek']}\n${fence('updates', [...counted, ...lines].join('\n'))}`
  return { text, facts: { of, shown } }
}

/** Children have a task and nothing else; so has a run that begins with nothing. */
export function seesUpdates(reader: Reader, { id, mode }: Branch): boolean {
  if (mode === 'background') return runIn(reader, id)?.isolated === false
  return mode === 'main' || mode === 'fork'
}

/** A fork of a run, made to answer what the run said, has seen what the run saw. */
function lookedTo(reader: Reader, { id, parent }: Branch): number {
  const own = shownTo(reader, id)
  if (own !== undefined || parent === null || getBranch(reader, parent).mode === 'main') return own ?? 0
  return lookedTo(reader, getBranch(reader, parent))
}

export function updateLine(update: Update, now: number): string {
  const { at, source, text } = update
  const by = isByHost(update) ? ', written by the host' : ''
  return `- (${ageText(now - at)} ago, ${oneLine(source)}${by}) ${shorten(oneLine(text), LINE_CHARS_MAX)}`
}

export interface UpdateState {
  readonly update: Update
  /** The message or the save with which it was told; null: it waits. */
  readonly settled: Position | null
}

/** All that was ever reported to the main session of this branch, oldest first. */
export function updatesOf(reader: Reader, branch: BranchId): UpdateState[] {
  const main = mainAbove(reader, branch)
  if (main === undefined) return []
  const stretch = { prefix: [main], order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
  return reader.rows(updateTable, stretch).map((row) => ({
    update: updateAt(reader, row['position'] as Position),
    settled: row['settled'] as Position | null,
  }))
}

/** Whether a model told main something of this branch in that turn. */
export function hasReported(reader: Reader, branch: BranchId, turn: TurnId): boolean {
  const main = mainAbove(reader, branch)
  const started = reader.row(turnTable, [turn])?.['position'] as Position | undefined
  if (main === undefined || started === undefined) return false
  const stretch = { prefix: [main], from: started, order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
  return reader.rows(updateTable, stretch).some((row) => {
    const { from, author } = updateAt(reader, row['position'] as Position)
    return from === branch && author.by === 'model' && author.turn === turn
  })
}

/** A run or fork that did not report what it had to, and was reported for. */
export function isByHost({ author, from }: Update): boolean {
  return from !== null && author.by === 'policy'
}

export function updateAt(reader: Reader, position: Position): Update {
  return reader.event(position) as Update
}
