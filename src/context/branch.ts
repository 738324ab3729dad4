import type { EndReason, Event, Mode, Outcome } from '../event/event.ts'
import { handleOf, type BranchId, type Position, type TurnId } from '../event/id.ts'
import type { Reader, Row, Writer } from '../event/table.ts'
import { branchTable, childTable, countTable, handleTable } from './tables.ts'

export type BranchState =
  | { readonly kind: 'idle'; readonly last: EndedWork | null }
  | ({ readonly kind: 'running'; readonly startedAt: Position } & Work)
  | { readonly kind: 'ended'; readonly reason: EndReason; readonly endedAt: Position }

/** A turn, and where the work began: there, or where the turn started that it continues. */
export interface Work {
  readonly turn: TurnId
  readonly since: Position
}

/** The last turn, while nothing parted the next one from it. */
export interface EndedWork extends Work {
  readonly outcome: Outcome
  readonly endedAt: Position
  /** When the work goes on by itself, if it was deferred. */
  readonly retryAt?: number
}

/** A line of conversation: the main session, a fork, a background run, a child. All the same structure. */
export interface Branch {
  readonly id: BranchId
  readonly mode: Mode
  readonly title: string | null
  readonly parent: BranchId | null
  /** Position of its creation: what it inherited lies before, what it wrote lies after. */
  readonly forkedAt: Position
  /** The version of its list that holds now. */
  readonly version: Position
  /** Versions that were undone, the next one to redo last. */
  readonly redo: readonly Position[]
  readonly state: BranchState
  /** Where somebody last opened a summary that no compaction followed: the window leaves the list alone for a while. */
  readonly heldSince: Position | null
}

export function findBranch(reader: Reader, id: BranchId): Branch | undefined {
  const row = reader.row(branchTable, [id])
  if (row === undefined) return undefined
  const branch = parsed.get(row) ?? fromRow(row)
  parsed.set(row, branch)
  return branch
}

/** For a branch that must exist: its id came from the log. */
export function getBranch(reader: Reader, id: BranchId): Branch {
  const branch = findBranch(reader, id)
  if (branch === undefined) throw new FoldError(`there is no branch ${id}`)
  return branch
}

export function putBranch(writer: Writer, branch: Branch): void {
  writer.put(branchTable, {
    id: branch.id,
    mode: branch.mode,
    title: branch.title,
    parent: branch.parent,
    forked_at: branch.forkedAt,
    version: branch.version,
    redo: JSON.stringify(branch.redo),
    state: JSON.stringify(branch.state),
    held_since: branch.heldSince,
  })
}

export function putNewBranch(writer: Writer, branch: Branch): void {
  putBranch(writer, branch)
  writer.put(handleTable, { handle: handleOf(branch.id), branch: branch.id })
  writer.put(countTable, { what: 'branches', count: countBranches(writer) + 1 })
}

/** All that were ever made. */
export function countBranches(reader: Reader): number {
  return (reader.row(countTable, ['branches'])?.['count'] as number | undefined) ?? 0
}

export function isHandleTaken(reader: Reader, branch: BranchId): boolean {
  return reader.row(handleTable, [handleOf(branch)]) !== undefined
}

/** Branches whose handle begins with `beginning`, at most `limit`. */
export function branchesByHandle(reader: Reader, beginning: string, limit: number): BranchId[] {
  const stretch = { prefix: [], from: beginning, to: `${beginning}~`, order: 'up', limit } as const
  return reader.rows(handleTable, stretch).map((row) => row['branch'] as BranchId)
}

/** All children of a branch, ended ones too, oldest first; the branches without a parent for `null`. */
export function childrenOf(reader: Reader, parent: BranchId | null): BranchId[] {
  const stretch = { prefix: [parent ?? ''], from: 1, order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
  return reader.rows(childTable, stretch).map((row) => row['branch'] as BranchId)
}

/** Oldest first, ended ones too. */
export function newestChildren(reader: Reader, parent: BranchId, limit: number): BranchId[] {
  const stretch = { prefix: [parent], from: 1, order: 'down', limit } as const
  return reader
    .rows(childTable, stretch)
    .map((row) => row['branch'] as BranchId)
    .toReversed()
}

/** The branch, its parent, and so on up to one without a parent. */
export function lineOf(reader: Reader, branch: Branch): Branch[] {
  const line = [branch]
  for (let above = branch.parent; above !== null;) {
    const next = getBranch(reader, above)
    line.push(next)
    above = next.parent
  }
  return line
}

/** An event does not follow from the events before it. In a log we wrote this is a bug; in an import, bad input. */
export class FoldError extends Error {
  override readonly name = 'FoldError'
}

export function refuse(event: Event, why: string): never {
  throw new FoldError(
    `event ${event.position}, a '${event.kind}', does not follow from the events before it: ${why}`,
  )
}

/** Rows never change once made, and the same one is asked for at every step. */
const parsed = new WeakMap<Row, Branch>()

function fromRow(row: Row): Branch {
  return {
    id: row['id'] as BranchId,
    mode: row['mode'] as Mode,
    title: row['title'] as string | null,
    parent: row['parent'] as BranchId | null,
    forkedAt: row['forked_at'] as Position,
    version: row['version'] as Position,
    redo: JSON.parse(row['redo'] as string) as Position[],
    state: JSON.parse(row['state'] as string) as BranchState,
    heldSince: row['held_since'] as Position | null,
  }
}
