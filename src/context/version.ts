import { assert } from '../base/assert.ts'
import type { Author, Event, EventOf } from '../event/event.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Item, Mark } from '../event/item.ts'
import { allRows, type Reader } from '../event/table.ts'
import type { Branch } from './branch.ts'
import { join } from './list.ts'
import { headOf, rangeOf } from './message-index.ts'
import { markTable } from './tables.ts'

/**
 * One immutable version of a branch's list: the event at its position. What the branch wrote after it belongs to
 * the list too (the open tail), so talking changes no version, and undo is a pointer to `prev`.
 */
export interface Version {
  readonly id: Position
  readonly branch: BranchId
  readonly items: readonly Item[]
  readonly marks: readonly Mark[]
  readonly prev: Position | null
}

export type ChangeEvent = EventOf<
  'context-cleared' | 'context-compacted' | 'context-expanded' | 'context-saved'
>

export function versionAt(reader: Reader, id: Position): Version {
  const event = reader.event(id)
  if (event.kind === 'branch-created') {
    return { id, branch: event.branch, items: inherited(reader, event), marks: [], prev: null }
  }
  assert(isChange(event), `event ${id}, a '${event.kind}', is no version of a list`)
  return { id, branch: event.branch, items: event.items, marks: event.marks, prev: event.prev }
}

export function isChange(event: Event): event is ChangeEvent {
  return (
    event.kind === 'context-cleared' ||
    event.kind === 'context-compacted' ||
    event.kind === 'context-expanded' ||
    event.kind === 'context-saved'
  )
}

/** What the branch shows now, or showed when its last complete step was at `head`. */
export function listOf(reader: Reader, branch: Branch, head = headOf(reader, branch.id)): readonly Item[] {
  return listAt(reader, versionAt(reader, branch.version), head)
}

/** What was shown at a version when the last complete step was at `head`: the past, exactly. */
export function listAtVersion(reader: Reader, version: Position, head: Position | null): readonly Item[] {
  return listAt(reader, versionAt(reader, version), head)
}

/** The branch's marks in order of their places: those of its version, and those set since. */
export function marksOf(reader: Reader, branch: Branch): readonly Mark[] {
  const version = versionAt(reader, branch.version)
  const set = new Map<string, Mark>()
  for (const row of allRows(reader, markTable, { prefix: [branch.id], from: version.id })) {
    const mark = { name: row.name, at: row.position }
    // A mark that moves stands behind those set before it moved.
    set.delete(mark.name)
    set.set(mark.name, mark)
  }
  if (set.size === 0) return version.marks
  return [...version.marks.filter(({ name }) => !set.has(name)), ...set.values()]
}

/** The change that undo would take back now, with who made it; undefined when there is none. */
export function changeToUndo(reader: Reader, branch: Branch): ChangeEvent | undefined {
  const event = reader.event(branch.version)
  return event.kind === 'branch-created' ? undefined : (event as ChangeEvent)
}

export function authorName(author: Author): string {
  return author.by === 'policy' ? author.name : author.by
}

function listAt(reader: Reader, version: Version, head: number | null): readonly Item[] {
  return head === null ? version.items : withTail(reader, version, head)
}

/** A version's items and what its branch wrote behind it, up to `head`. */
function withTail(
  reader: Reader,
  { id, branch, items }: Pick<Version, 'id' | 'branch' | 'items'>,
  head: number,
): readonly Item[] {
  const tail = rangeOf(reader, branch, { from: id + 1, to: head })
  return tail ? join(reader, items, [tail]) : items
}

/** What a branch began with. A fork refers to its parent's list, which may be a fork's that refers to its own parent's. */
function inherited(reader: Reader, created: EventOf<'branch-created'>): readonly Item[] {
  const forks: { event: EventOf<'branch-created'>; head: Position }[] = []
  let event: Event = created
  while (event.kind === 'branch-created' && event.base.from === 'parent') {
    forks.push({ event, head: event.base.head })
    event = reader.event(event.base.version)
  }
  let items = itemsIn(event)
  for (const fork of forks.toReversed()) {
    items = withTail(reader, { id: event.position, branch: event.branch, items }, fork.head)
    event = fork.event
  }
  return items
}

/** How many references lie between a version and the event that has the items. */
export function referenceDepth(reader: Reader, id: Position): number {
  let depth = 0
  for (
    let event = reader.event(id);
    event.kind === 'branch-created' && event.base.from === 'parent';
    depth++
  ) {
    event = reader.event(event.base.version)
  }
  return depth
}

function itemsIn(event: Event): readonly Item[] {
  if (event.kind === 'branch-created') return event.base.from === 'items' ? event.base.items : []
  assert(isChange(event), `event ${event.position}, a '${event.kind}', is no version of a list`)
  return event.items
}
