import { assert } from '../base/assert.ts'
import type { Author, Base, Event, EventOf, Kind } from '../event/event.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Mark, Items } from '../event/item.ts'
import { allRows, type Reader } from '../event/table.ts'
import type { Branch } from './branch.ts'
import { join } from './list.ts'
import { headOf, rangeOf } from './message-index.ts'
import { markTable } from './tables.ts'

/**
 * One immutable version of a branch's list: the event at its position. Messages that the branch wrote after it belong
 * to the list too (the open tail), so talking changes no version, and undo is a pointer to `prev`.
 */
export interface Version {
  readonly id: Position
  readonly branch: BranchId
  readonly items: Items
  readonly marks: readonly Mark[]
  readonly prev: Position | null
}

const changes = ['context-cleared', 'context-compacted', 'context-expanded', 'context-saved'] as const
export type ChangeEvent = EventOf<(typeof changes)[number]>

export function versionAt(reader: Reader, id: Position): Version {
  const event = reader.event(id)
  if (event.kind === 'branch-created') {
    return { id, branch: event.branch, items: inherited(reader, event.base), marks: [], prev: null }
  }
  assert(isChange(event), `event ${id}, a '${event.kind}', is no version of a list`)
  return { id, branch: event.branch, items: event.items, marks: event.marks, prev: event.prev }
}

export function isChange(event: Event): event is ChangeEvent {
  return (changes as readonly Kind[]).includes(event.kind)
}

/** The branch's list now, or when its last complete step was at `head`. */
export function listOf(reader: Reader, branch: Branch, head = headOf(reader, branch.id)): Items {
  return listAtVersion(reader, branch.version, head)
}

/** The exact list of a version when the last complete step was at `head`. */
export function listAtVersion(reader: Reader, version: Position, head: Position | null): Items {
  const { id, branch, items } = versionAt(reader, version)
  const tail = head === null ? undefined : rangeOf(reader, branch, { from: id + 1, to: head })
  return tail ? join(reader, items, [tail]) : items
}

/** The branch's marks in order of their places: those of its version, and those set since. */
export function marksOf(reader: Reader, branch: Branch): readonly Mark[] {
  const version = versionAt(reader, branch.version)
  const set = new Map<string, Mark>()
  for (const row of allRows(reader, markTable, { prefix: [branch.id], from: version.id })) {
    const mark = { name: row.name, at: row.behind ?? row.position }
    // A mark that moves goes after those set before it moved.
    set.delete(mark.name)
    set.set(mark.name, mark)
  }
  if (set.size === 0) return version.marks
  const all = [...version.marks.filter(({ name }) => !set.has(name)), ...set.values()]
  return all.toSorted((one, other) => one.at - other.at)
}

/** The change that undo would take back now, and its author; undefined if there is none. */
export function changeToUndo(reader: Reader, branch: Branch): ChangeEvent | undefined {
  const event = reader.event(branch.version)
  return event.kind === 'branch-created' ? undefined : (event as ChangeEvent)
}

export function authorName(author: Author): string {
  return author.by === 'policy' ? author.name : author.by
}

/** The list that a branch began with. Forks of forks refer to each other's list, at most `forkReferencesMax` deep. */
function inherited(reader: Reader, base: Base): Items {
  if (base.from === 'parent') return listAtVersion(reader, base.version, base.head)
  return base.from === 'items' ? base.items : []
}

/** The number of references between a version and the event that has the items. */
export function referenceDepth(reader: Reader, id: Position): number {
  const event = reader.event(id)
  if (event.kind !== 'branch-created' || event.base.from !== 'parent') return 0
  return 1 + referenceDepth(reader, event.base.version)
}
