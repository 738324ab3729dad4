import { seededRandom } from '../base/random.ts'
import type { Event, Mode } from '../event/event.ts'
import { handleOf, makeBranchId, type BranchId, type IdSeed, type Position } from '../event/id.ts'
import { allRows, fromJson, toJson, type Reader, type Row, type RowOf, type Writer } from '../event/table.ts'
import {
  branchTable,
  childTable,
  countTable,
  handleTable,
  type BranchState,
  type EndedWork,
  type Work,
} from './tables.ts'

/** A line of conversation: the main session, a fork, a background run, a child. All the same structure. */
export interface Branch {
  readonly id: BranchId
  readonly mode: Mode
  readonly title: string | null
  readonly parent: BranchId | null
  /** Position of its creation: what it inherited lies before, what it wrote lies after. */
  readonly forkedAt: Position
  /** The current version of its list. */
  readonly version: Position
  /** Undone versions, with the next one to redo last. */
  readonly redo: readonly Position[]
  readonly state: BranchState
  /** Where somebody last opened a summary, if no compaction followed: the window leaves the list alone for a while. */
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
  const { forkedAt: forked_at, heldSince: held_since, redo, state, ...same } = branch
  writer.put(branchTable, { ...same, forked_at, redo: toJson(redo), state: toJson(state), held_since })
}

export function putNewBranch(writer: Writer, branch: Branch): void {
  putBranch(writer, branch)
  writer.put(handleTable, { handle: handleOf(branch.id), branch: branch.id })
  writer.put(countTable, { what: 'branches', count: countBranches(writer) + 1 })
}

export function countBranches(reader: Reader): number {
  return reader.row(countTable, ['branches'])?.count ?? 0
}

export function isHandleTaken(reader: Reader, branch: BranchId): boolean {
  return reader.row(handleTable, [handleOf(branch)]) !== undefined
}

export function newBranchId(reader: Reader, { at, seed }: IdSeed): BranchId {
  const random = seededRandom(seed)
  for (;;) {
    const id = makeBranchId(at, random)
    if (!isHandleTaken(reader, id)) return id
  }
}

/** Branches whose handle begins with `beginning`, at most `limit`. */
export function branchesByHandle(reader: Reader, beginning: string, limit: number): BranchId[] {
  const stretch = { prefix: [], from: beginning, to: `${beginning}~`, order: 'up', limit } as const
  return reader.rows(handleTable, stretch).map(({ branch }) => branch)
}

/** All children, ended ones too, oldest first. There can be very many, so works use `livingChildren`. */
export function childrenOf(reader: Reader, parent: BranchId | null): BranchId[] {
  const rows = allRows(reader, childTable, { prefix: [parent ?? ''], from: 1 })
  return [...rows].flatMap(({ branch }) => branch ?? [])
}

/** Oldest first, ended ones too. */
export function newestChildren(reader: Reader, parent: BranchId, limit: number): BranchId[] {
  const stretch = { prefix: [parent], from: 1, order: 'down', limit } as const
  return reader
    .rows(childTable, stretch)
    .flatMap(({ branch }) => branch ?? [])
    .toReversed()
}

/** The running work, or the last one while the next turn would still continue it. */
export function workOf({ state }: Pick<Branch, 'state'>): (Work & Partial<EndedWork>) | null {
  return state.kind === 'running' ? state : state.kind === 'idle' ? state.last : null
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

/** Rows are immutable, and the same one is read at every step. */
const parsed = new WeakMap<Row, Branch>()

function fromRow(row: RowOf<typeof branchTable>): Branch {
  const { forked_at: forkedAt, held_since: heldSince, redo, state, ...same } = row
  return { ...same, forkedAt, heldSince, redo: fromJson(redo), state: fromJson(state) }
}
