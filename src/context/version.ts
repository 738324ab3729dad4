import { assert } from '../base/assert.ts'
import type { Author, EventOf } from '../event/event.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Item, Mark } from '../event/item.ts'
import type { Reader } from '../event/table.ts'
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
  switch (event.kind) {
    case 'branch-created':
      return { id, branch: event.branch, items: baseItems(reader, event), marks: [], prev: null }
    case 'context-cleared':
    case 'context-compacted':
    case 'context-expanded':
    case 'context-saved':
      return { id, branch: event.branch, items: event.items, marks: event.marks, prev: event.prev }
    default:
      assert(false, `event ${id}, a '${event.kind}', is no version of a list`)
  }
}

/** What the branch shows now, or showed when its last complete step was at `head`. */
export function listOf(reader: Reader, branch: Branch, head = headOf(reader, branch.id)): readonly Item[] {
  return listAt(reader, versionAt(reader, branch.version), head)
}

/** The branch's marks in order of their places: those of its version, and those set since. */
export function marksOf(reader: Reader, branch: Branch): readonly Mark[] {
  const version = versionAt(reader, branch.version)
  const stretch = { from: version.id, order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
  const since = reader.rows(markTable, { prefix: [branch.id], ...stretch })
  if (since.length === 0) return version.marks
  const set = new Map<string, Mark>()
  for (const row of since) {
    const mark = { name: row['name'] as string, at: row['position'] as Position }
    // A mark that moves stands behind those set before it moved.
    set.delete(mark.name)
    set.set(mark.name, mark)
  }
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
  if (head === null) return version.items
  const tail = rangeOf(reader, version.branch, { from: version.id + 1, to: head })
  return tail ? join(reader, version.items, [tail]) : version.items
}

function baseItems(reader: Reader, { base }: EventOf<'branch-created'>): readonly Item[] {
  switch (base.from) {
    case 'nothing':
      return []
    case 'items':
      return base.items
    case 'parent':
      return listAt(reader, versionAt(reader, base.version), base.head)
  }
}
