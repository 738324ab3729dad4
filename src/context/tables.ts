import type { EndReason, Mode, Outcome } from '../event/event.ts'
import type { BranchId, Position, TurnId } from '../event/id.ts'
import { integer, table, text, type JsonOf } from '../event/table.ts'

export type BranchState =
  | { readonly kind: 'idle'; readonly last: EndedWork | null }
  | ({ readonly kind: 'running'; readonly startedAt: Position } & Work)
  | { readonly kind: 'ended'; readonly reason: EndReason; readonly endedAt: Position }

/** A turn, and where its work began: at that turn, or at the one it continues. */
export interface Work {
  readonly turn: TurnId
  readonly since: Position
}

/** The last turn, while the next turn would still continue it. */
export interface EndedWork extends Work {
  readonly outcome: Outcome
  readonly endedAt: Position
  /** When deferred work continues by itself. */
  readonly retryAt?: number
}

const branch = text<BranchId>()
const position = integer<Position>()

/** One row per branch: everything a restart needs to know of it except its messages. */
export const branchTable = table(
  'branch',
  { id: text<BranchId>() },
  {
    mode: text<Mode>(),
    title: text<string | null>(),
    parent: text<BranchId | null>(),
    forked_at: integer<Position>(),
    version: integer<Position>(),
    redo: text<JsonOf<readonly Position[]>>(),
    state: text<JsonOf<BranchState>>(),
    held_since: integer<Position | null>(),
  },
)

/** Finds a branch by its handle, or the beginning of one. */
export const handleTable = table('handle', { handle: text() }, { branch })

/** One row: the number of branches ever made. */
export const countTable = table('count', { what: text<'branches'>() }, { count: integer() })

/**
 * Children by the branch they were forked from, '' for those without a parent. Living ones name the one before and the
 * one after them; the row at 0 closes that ring and stands for no branch. Ended ones name none.
 */
export const childTable = table(
  'child',
  { parent: text<BranchId | ''>(), forked_at: integer() },
  { branch: text<BranchId | null>(), before: integer<number | null>(), after: integer<number | null>() },
)

/**
 * One row per message, so that a place is found and a range is counted from its two ends. `ordinal` and `tokens` run
 * from the branch's first message, and so does `elsewhere`: how many had text from elsewhere. `open` is the number of
 * calls without a result after this message.
 */
export const messageTable = table(
  'message',
  { branch, position },
  { ordinal: integer(), tokens: integer(), open: integer(), elsewhere: integer() },
)

/** Whether what a summary covers has text from elsewhere. */
export const summaryOriginTable = table(
  'summary_origin',
  { summary: position, part: integer() },
  { elsewhere: integer<0 | 1>() },
)

/** Calls by their ids, and whether each still waits for its result: a result is checked without reading its step. */
export const callTable = table('call', { branch, call: text() }, { is_open: integer<0 | 1>() })

export const markTable = table(
  'mark',
  { branch, position },
  { name: text(), behind: integer<Position | null>() },
)

/** Whose a main session is; it is the owner's if it is not here. */
export const ownMainTable = table('own_main', { branch }, { person: text() })

export const saveTable = table('save', { target: text<BranchId>(), position }, { source: text<BranchId>() })
