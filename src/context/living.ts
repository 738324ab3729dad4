import type { BranchId } from '../event/id.ts'
import type { Reader, RowOf, Writer } from '../event/table.ts'
import { getBranch, lineOf, type Branch } from './branch.ts'
import { childTable, ownMainTable } from './tables.ts'

type Child = RowOf<typeof childTable>

/** The row that closes a ring; it stands for no branch. */
const END = 0

/**
 * Children of a branch that live or have living branches below them, oldest first; for `null` the branches without a
 * parent. They form a linked ring, so that reading them does not pass thousands of ended ones.
 */
export function livingChildren(reader: Reader, parent: BranchId | null): BranchId[] {
  const living: Child[] = []
  for (let next = childAt(reader, parent, END).after; next !== END && next !== null;) {
    const child = childAt(reader, parent, next)
    living.push(child)
    next = child.after
  }
  // An ended branch that gets a new child joins the ring again, at its end.
  return living.toSorted((a, b) => a.forked_at - b.forked_at).flatMap(({ branch }) => branch ?? [])
}

/** A person's main sessions that live, the oldest first; null: the owner's. */
export function livingMains(reader: Reader, person: string | null = null): BranchId[] {
  return livingChildren(reader, null).filter((id) => {
    const { mode, state } = getBranch(reader, id)
    return mode === 'main' && state.kind !== 'ended' && guestIn(reader, id) === person
  })
}

/** The guest or group that was given the main session above a branch; null: it is the owner's. */
export function guestIn(reader: Reader, branch: BranchId): string | null {
  const main = lineOf(reader, getBranch(reader, branch)).find(({ mode }) => mode === 'main')
  return (main && reader.row(ownMainTable, [main.id])?.person) ?? null
}

/** The branch and everything below it that has not ended, parents first. */
export function livingFrom(reader: Reader, branch: BranchId): BranchId[] {
  const below = livingChildren(reader, branch).flatMap((child) => livingFrom(reader, child))
  return getBranch(reader, branch).state.kind === 'ended' ? below : [branch, ...below]
}

/** A new branch joins its parent's ring, and so do the branches above it that had left. */
export function joinLiving(writer: Writer, { id, parent, forkedAt }: Branch): void {
  if (childAt(writer, parent, forkedAt).after !== null) return
  const before = childAt(writer, parent, END).before ?? END
  writer.put(childTable, { ...childAt(writer, parent, before), after: forkedAt })
  writer.put(childTable, { ...childAt(writer, parent, END), before: forkedAt })
  writer.put(childTable, { parent: parent ?? '', forked_at: forkedAt, branch: id, before, after: END })
  if (parent !== null) joinLiving(writer, getBranch(writer, parent))
}

/** An ended branch leaves the ring, and so do the ended branches above it with nothing alive below. */
export function leaveLiving(writer: Writer, { id, parent, forkedAt, state }: Branch): void {
  if (state.kind !== 'ended' || livingChildren(writer, id).length > 0) return
  const own = childAt(writer, parent, forkedAt)
  const [before, after] = [own.before ?? END, own.after ?? END]
  writer.put(childTable, { ...childAt(writer, parent, before), after })
  writer.put(childTable, { ...childAt(writer, parent, after), before })
  writer.put(childTable, { ...own, before: null, after: null })
  if (parent !== null) leaveLiving(writer, getBranch(writer, parent))
}

function childAt(reader: Reader, parent: BranchId | null, forkedAt: number): Child {
  const key = { parent: parent ?? ('' as const), forked_at: forkedAt }
  const row = reader.row(childTable, [key.parent, key.forked_at])
  return row ?? { ...key, branch: null, before: null, after: null }
}
