import { assert } from '../base/assert.ts'
import type { BranchId } from '../event/id.ts'
import {
  isSummary,
  type Hop,
  type Item,
  type Range,
  type Summary,
  type SummaryRef,
  type Items,
} from '../event/item.ts'
import type { Reader } from '../event/table.ts'
import { messageAt, messageAtOrAfter, rangeOf, type Ends } from './message-index.ts'

/**
 * When an item joined the list of `self`, in the time of `self`. Inherited items are older than every mark of the
 * branch, and keep the times of the branch they were saved into. Among own items, keys ascend.
 */
export function keyOfItem(item: Item, self: BranchId): number {
  if (item.at !== undefined) return item.at
  if (item.src !== self) return 0
  return isSummary(item) ? item.last : item.to
}

/** Joins two lists in normal form; only the seam between them may need merging. */
export function join(reader: Reader, left: Items, right: Items): Items {
  const [a, b] = [left.at(-1), right[0]]
  if (a === undefined) return right
  if (b === undefined) return left
  const merged = merge(reader, a, b)
  return merged ? [...left.slice(0, -1), merged, ...right.slice(1)] : [...left, ...right]
}

/** Brings items into normal form: neighbours that are one run of messages become one range. */
export function normalise(reader: Reader, items: Items): Items {
  const list: Item[] = []
  for (const item of items) {
    const before = list.at(-1)
    const merged = before && merge(reader, before, item)
    if (merged) list[list.length - 1] = merged
    else list.push(item)
  }
  return list
}

function merge(reader: Reader, a: Item, b: Item): Range | undefined {
  if (isSummary(a) || isSummary(b) || a.src !== b.src || a.at !== b.at) return undefined
  const between = messageAt(reader, b.src, b.from).ordinal - messageAt(reader, a.src, a.to).ordinal - 1
  return between <= 0 ? { ...a, to: b.to } : undefined
}

/** The items that joined the list of `self` at or before `time`. A summary that covers later ones is opened. */
export function cut(reader: Reader, list: Items, { self, time }: Place): Items {
  const index = list.findIndex((item) => keyOfItem(item, self) > time)
  if (index === -1) return list
  const kept = list.slice(0, index)
  const item = list[index] as Item
  if (item.src !== self || item.at !== undefined) return kept
  if (!isSummary(item)) {
    const part = item.from <= time ? rangeOf(reader, self, { from: item.from, to: time }) : undefined
    return part ? [...kept, part] : kept
  }
  const nested = summaryAt(reader, nestedAcross(reader, item, time))
  return join(reader, kept, cut(reader, nested.covers, { self, time }))
}

/** The items that joined the list of `self` after `time`: the complement of `cut`. */
export function after(reader: Reader, list: Items, { self, time }: Place): Items {
  const index = list.findIndex((item) => keyOfItem(item, self) > time)
  if (index === -1) return []
  const item = list[index] as Item
  return join(reader, afterItem(reader, item, { self, time }), list.slice(index + 1))
}

function afterItem(reader: Reader, item: Item, { self, time }: Place): Items {
  if (item.src !== self || item.at !== undefined) return [item]
  if (isSummary(item))
    return summaryAt(reader, item).first > time ? [item] : openDown(reader, item, { self, time })
  if (item.from > time) return [item]
  const part = rangeOf(reader, self, { from: time + 1, to: item.to })
  return part ? [part] : []
}

/** The items that joined the list of `self` exactly at `time`, even under summaries. */
export function joinedAt(reader: Reader, list: Items, { self, time }: Place): Items {
  return list.flatMap((item): Items => {
    if (item.at !== undefined || item.src !== self) return item.at === time ? [item] : []
    return isSummary(item) && item.last >= time ? joinedUnder(reader, item, { self, time }) : []
  })
}

/** A group that joined at one time may lie under several summaries of a chain: a compaction can split it. */
function joinedUnder(reader: Reader, ref: SummaryRef, { self, time }: Place): Items {
  const found: Item[] = []
  let now: SummaryPlace | undefined = ref.last > time ? nestedAcross(reader, ref, time) : ref
  while (now !== undefined) {
    const summary = summaryAt(reader, now)
    const lead = leadOf(summary)
    const rest = lead ? summary.covers.slice(1) : summary.covers
    found.push(...joinedAt(reader, rest, { self, time }))
    now = lead !== undefined && lead.last >= time ? lead : undefined
  }
  return found
}

/** All messages of an item, including those under its summaries, as ranges of their authors. */
export function flatten(reader: Reader, item: Item): readonly Range[] {
  if (!isSummary(item)) return [item]
  const opened = openDown(reader, item, { self: item.src, time: -1 })
  return opened.flatMap((part) => (isSummary(part) ? flatten(reader, part) : [part]))
}

/** The items that a summary replaces, as they would be in the list. */
export function coversOf(reader: Reader, ref: SummaryRef): Items {
  const { covers } = summaryAt(reader, ref)
  const { at } = ref
  if (at === undefined) return covers
  return normalise(
    reader,
    covers.map((item) => ({ ...item, at })),
  )
}

export function summaryAt(reader: Reader, ref: SummaryPlace): Summary {
  const event = reader.event(ref.summary)
  const summary = event.kind === 'context-compacted' ? event.summaries[ref.part] : undefined
  assert(summary !== undefined, `there is no summary ${ref.part} at position ${ref.summary}`)
  return summary
}

/** The summary that one of these items folded in at its front, in the time of the same branch. */
export function leadOf({ covers: [first], src }: { covers: Items; src: BranchId }): SummaryRef | undefined {
  return first && isSummary(first) && first.src === src && first.at === undefined ? first : undefined
}

/** Where a summary is kept. */
type SummaryPlace = Pick<Hop, 'summary' | 'part'>

export interface Place {
  readonly self: BranchId
  readonly time: number
}

/**
 * The innermost summary along the chain of leads that reaches past `time`. Hops make this logarithmic: rewinding to a
 * mark under fifty thousand summaries reads a few dozen.
 */
function nestedAcross(reader: Reader, ref: SummaryPlace, time: number): SummaryPlace {
  for (let now = ref; ;) {
    const summary = summaryAt(reader, now)
    const lead = leadOf(summary)
    if (lead === undefined || lead.last <= time) return now
    now = summary.jump !== undefined && summary.jump.last > time ? summary.jump : lead
  }
}

/**
 * Opens a chain of nested summaries down to `time`. An unbroken run of messages is taken in one step, so the cost
 * depends on the resulting pieces, not on the summaries passed.
 */
function openDown(reader: Reader, ref: SummaryRef, { self, time }: Place): Items {
  let found: Items = []
  let now: SummaryPlace | undefined = ref
  while (now !== undefined) {
    let summary = summaryAt(reader, now)
    let before = Number.MAX_SAFE_INTEGER
    const { runFrom } = summary
    if (runFrom !== undefined) {
      const range = rangeOf(reader, self, { from: Math.max(runFrom, time + 1), to: summary.end })
      found = join(reader, range ? [range] : [], found)
      if (runFrom <= time + 1) return found
      before = runFrom
      summary = summaryAt(reader, nestedAcross(reader, now, runFrom - 1))
    }
    const lead = leadOf(summary)
    const rest = cut(reader, lead ? summary.covers.slice(1) : summary.covers, { self, time: before - 1 })
    found = join(reader, after(reader, rest, { self, time }), found)
    if (lead === undefined || lead.last <= time) return found
    if (time >= 0 && summaryAt(reader, lead).first > time) return [lead, ...found]
    now = lead
  }
  return found
}

/** The rest of a range without the messages at positions `from` to `to`. */
export function without(reader: Reader, range: Range, { from, to }: Ends): readonly Range[] {
  if (to < range.from || from > range.to) return [range]
  const { src } = range
  const pieces = [
    rangeOf(reader, src, { from: range.from, to: Math.min(range.to, from - 1) }),
    rangeOf(reader, src, { from: Math.max(range.from, to + 1), to: range.to }),
  ]
  return pieces.flatMap((piece) =>
    piece ? [range.at === undefined ? piece : { ...piece, at: range.at }] : [],
  )
}

/** True if the list begins with exactly these items; the last range may have grown since. */
export function splitBehind(reader: Reader, list: Items, covered: Items): Items | undefined {
  const last = covered.length - 1
  if (list.length < covered.length) return undefined
  if (!covered.slice(0, last).every((item, index) => sameItem(item, list[index]))) return undefined
  const [mine, theirs] = [covered[last], list[last]]
  if (mine === undefined || theirs === undefined) return undefined
  if (sameItem(mine, theirs)) return list.slice(last + 1)
  if (isSummary(mine) || isSummary(theirs)) return undefined
  if (!sameItem({ ...mine, to: theirs.to }, theirs) || mine.to >= theirs.to) return undefined
  const next = messageAtOrAfter(reader, mine.src, mine.to + 1)
  assert(next !== undefined, 'a range that grew has a message more')
  return [{ ...theirs, from: next.position }, ...list.slice(last + 1)]
}

export function sameItems(a: Items, b: Items): boolean {
  return a.length === b.length && a.every((item, index) => sameItem(item, b[index]))
}

export function sameItem(a: Item, b: Item | undefined): boolean {
  if (b === undefined || a.src !== b.src || a.at !== b.at) return false
  if (isSummary(a)) return isSummary(b) && a.summary === b.summary && a.part === b.part
  return !isSummary(b) && a.from === b.from && a.to === b.to
}
