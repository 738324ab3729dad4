import { oneLine, shorten } from '../base/width.ts'
import { ageText } from '../base/words.ts'
import { fence } from '../event/fence.ts'
import type { EventOf } from '../event/event.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { updatesShownTable, updateTable } from './tables.ts'

/** Where what a branch was not told yet stands in the log, oldest first. */
export function pendingUpdates(reader: Reader, branch: BranchId): Position[] {
  const shownTo = (reader.row(updatesShownTable, [branch])?.['shown_to'] as number | undefined) ?? 0
  const stretch = {
    prefix: [branch],
    from: shownTo + 1,
    order: 'up',
    limit: Number.MAX_SAFE_INTEGER,
  } as const
  return reader.rows(updateTable, stretch).map((row) => row['position'] as Position)
}

/** What a message shows of them, and up to which: with it they are told (UPD1). */
export interface ShownUpdates {
  readonly text: string
  readonly upTo: Position
}

const LINES_MAX = 10
const LINE_CHARS_MAX = 1_000
const HEADING = 'RECENT BACKGROUND UPDATES (mention key findings in your response)'

/** Everything that waits for this branch, as its next message shows it; undefined when nothing does. */
export function updatesFor(reader: Reader, branch: BranchId, now: number): ShownUpdates | undefined {
  const pending = pendingUpdates(reader, branch)
  const upTo = pending.at(-1)
  if (upTo === undefined) return undefined
  const omitted = pending.length <= LINES_MAX ? 0 : pending.length - (LINES_MAX - 1)
  const lines = pending.slice(omitted).map((position) => updateLine(reader, position, now))
  // The host's own line needs no fence, and yet stands with what it counts.
  const counted = omitted === 0 ? [] : [`(${omitted} earlier update(s) omitted — cap reached)`]
  return { text: `${HEADING}\n${fence('updates', [...counted, ...lines].join('\n'))}`, upTo }
}

function updateLine(reader: Reader, position: Position, now: number): string {
  const { at, source, text } = updateAt(reader, position)
  return `- (${ageText(now - at)} ago, ${oneLine(source)}) ${shorten(oneLine(text), LINE_CHARS_MAX)}`
}

function updateAt(reader: Reader, position: Position): EventOf<'update-reported'> {
  return reader.event(position) as EventOf<'update-reported'>
}
