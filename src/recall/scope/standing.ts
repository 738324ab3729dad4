import { cut, keyOfItem, leadOf } from '../../context/list.ts'
import { headOf } from '../../context/message-index.ts'
import { isChange, listAtVersion, listOf, type ChangeEvent } from '../../context/version.ts'
import type { Branch } from '../../context/branch.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import { isSummary, type Hop, type Item, type Summary } from '../../event/item.ts'
import type { Reader } from '../../event/table.ts'
import type { Places } from './places.ts'

export type Dropped = 'rewound' | 'cleared'

interface Question {
  readonly time: Position
  readonly versions: Versions
}

type Cleared = EventOf<'context-cleared'>

/**
 * The state of something that joined a branch's list at position `time`: a message of the branch, or everything one save
 * brought. `absent`: it was never there, or the save was undone. Only undo brings back what left a list, so along the
 * standing versions it is first listed and then not.
 */
export function standingOf(
  reader: Reader,
  branch: Branch,
  { time, versions }: Question,
): 'listed' | Dropped | 'absent' {
  if (hasJoined(reader, listOf(reader, branch), { self: branch.id, time })) return 'listed'
  const dropped = droppedBy(reader, branch, { time, versions })
  if (dropped === undefined) return 'absent'
  return dropped.to === null ? 'cleared' : 'rewound'
}

/** Whether a list of the branch has what joined it at `time`, shown or summarized. */
function hasJoined(
  reader: Reader,
  list: readonly Item[],
  { self, time }: { self: BranchId; time: number },
): boolean {
  const last = cut(reader, list, { self, time }).at(-1)
  return last !== undefined && keyOfItem(last, self) === time
}

function droppedBy(reader: Reader, branch: Branch, { time, versions }: Question): Cleared | undefined {
  const joined = { self: branch.id, time }
  for (let now = clearAfter(reader, branch, { time, versions }) ?? branch.version; now > time;) {
    const event = reader.event(now)
    if (!isChange(event)) return undefined
    const back = furthestBack(reader, event, {
      self: branch.id,
      isBehind: (one) => one.position > time && !hasJoined(reader, one.items, joined),
    })
    if (back !== undefined) {
      now = back
      continue
    }
    if (event.kind === 'context-cleared' && hasJoined(reader, listBefore(reader, event), joined)) return event
    now = event.prev
  }
  return undefined
}

/**
 * The first clear after it, which removed it; there may be hundreds of clears since. Messages that a model's clear
 * keeps are only removed by another clear, because no mark before it is left to rewind to.
 */
function clearAfter(reader: Reader, branch: Branch, { time, versions }: Question): Position | undefined {
  let found: Position | undefined
  for (const clear of standingClears(reader, branch, versions)) {
    if (clear < time) break
    found = clear
  }
  return found
}

/** A cache of facts about versions, which never change. It makes walking hundreds of clears fast. */
export interface Versions {
  /** The newest clear that stands at a version; null: none does. */
  readonly clears: Map<Position, Position | null>
  /** The version before a clear. */
  readonly before: Map<Position, Position>
  /** The items that a clear removed from the list. */
  readonly cleared: Map<Position, Places>
  /** The coverage of recently requested summaries, by position and part. */
  readonly covered: Map<string, Places>
  /** Results of `topBelow`. */
  readonly tops: Map<string, BranchId | undefined>
}

const REMEMBERED_MAX = 10_000

/** Bounded, because a process may live for years. Dropped entries are computed again. */
export function keep<K, V>(map: Map<K, V>, key: K, value: V): V {
  if (map.size >= REMEMBERED_MAX && !map.has(key)) map.clear()
  map.set(key, value)
  return value
}

/** Valid for one log. */
export function newVersions(): Versions {
  const maps = { clears: new Map(), before: new Map(), cleared: new Map() }
  return { ...maps, covered: new Map(), tops: new Map() }
}

const known = new WeakMap<Reader, Versions>()

/** A cache for callers without their own; it lives as long as the reader. */
export function versionsOf(reader: Reader): Versions {
  const versions = known.get(reader) ?? newVersions()
  known.set(reader, versions)
  return versions
}

/** The clears of a branch that were not undone, newest first; without rewinds. */
export function* standingClears(
  reader: Reader,
  { version, id }: Branch,
  versions: Versions,
): Generator<Position> {
  for (let from = version; ;) {
    const known = versions.clears.get(from)
    const clear =
      known === undefined
        ? keep(versions.clears, from, newestClear(reader, { version: from, self: id, versions }))
        : known
    if (clear === null) return
    yield clear
    from = versions.before.get(clear) ?? keep(versions.before, clear, (reader.event(clear) as Cleared).prev)
  }
}

function newestClear(
  reader: Reader,
  { version, self, versions }: { version: Position; self: BranchId; versions: Versions },
): Position | null {
  for (let now = version; ;) {
    const known = versions.clears.get(now)
    if (known !== undefined) return known
    const event = reader.event(now)
    if (!isChange(event)) return null
    // A clear leaves no summary, so there was no clear since the oldest summary of the list was made.
    const back = furthestBack(reader, event, { self, isBehind: () => true })
    if (back === undefined && event.kind === 'context-cleared' && event.to === null) return now
    now = back ?? event.prev
  }
}

/** The branch's list just before a change. */
export function listBefore(reader: Reader, { branch, prev, position }: ChangeEvent): readonly Item[] {
  return listAtVersion(reader, prev, headOf(reader, branch, position))
}

/**
 * The oldest version, along the summaries of a list, that is still after the target (`isBehind`). A summary is in a
 * list because the version that made it stands, so a few dozen hops skip years of compactions.
 */
function furthestBack(
  reader: Reader,
  version: ChangeEvent,
  { self, isBehind }: { self: BranchId; isBehind: (version: ChangeEvent) => boolean },
): Position | undefined {
  let found: Position = version.position
  const isPassed = ({ summary }: Hop): boolean => {
    const made = reader.event(summary)
    return made.kind === 'context-compacted' && made.branch === self && isBehind(made)
  }
  for (const item of version.items) {
    if (!isSummary(item) || item.at !== undefined) continue
    for (let now: Hop | undefined = item; now !== undefined;) {
      // A fork's summary that came with a save is not a version of this branch.
      if (isPassed(now)) found = now.summary < found ? now.summary : found
      else if (reader.event(now.summary).branch === self) break
      const made = reader.event(now.summary) as EventOf<'context-compacted'>
      const below = made.summaries[now.part] as Summary
      now = below.jump !== undefined && isPassed(below.jump) ? below.jump : leadOf(below)
    }
  }
  return found < version.position ? found : undefined
}
