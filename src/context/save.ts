import type { BranchId, Position } from '../event/id.ts'
import { isSummary, type Item, type Range, type SummaryRef } from '../event/item.ts'
import type { Reader } from '../event/table.ts'
import { getBranch, lineOf, type Branch } from './branch.ts'
import { changeableBetweenTurns, header, isRefusal, type Act, type Decision } from './decision.ts'
import { after, coversOf, cut, flatten, join, normalise, sameItems, withAt, without } from './list.ts'
import { saveTable } from './tables.ts'
import { listOf, marksOf } from './version.ts'

/** Where a branch is saved to, and the branch on the way whose creation divides inherited from own. */
export interface SaveTarget {
  readonly target: Branch
  readonly top: Branch
}

/** The nearest main session above, or the parent where there is none. */
export function saveTarget(reader: Reader, source: Branch): SaveTarget | undefined {
  const line = lineOf(reader, source)
  const main = line.findIndex((branch, index) => index > 0 && branch.mode === 'main')
  const index = main === -1 ? 1 : main
  const [target, top] = [line[index], line[index - 1]]
  return target && top && { target, top }
}

/** Appends to the target's list what came into being in the source and the target does not have. `branch` is the source. */
export function save(reader: Reader, act: Act): Decision<'context-saved'> {
  const source = getBranch(reader, act.branch)
  if (source.state.kind === 'running') return { refused: 'turn-running' }
  const found = saveTarget(reader, source)
  if (found === undefined) return { refused: 'nothing-to-do', what: 'save' }
  const { top } = found
  const target = changeableBetweenTurns(reader, found.target.id)
  if (isRefusal(target)) return target
  const position = (reader.end + 1) as Position
  const theirs = listOf(reader, target)
  const mine = listOf(reader, source)
  const own = minus(
    reader,
    ownPart(mine, top.forkedAt, position),
    savedBefore(reader, { target, top, list: theirs }),
  )
  if (own.length === 0) return { refused: 'nothing-to-do', what: 'save' }
  const inherited = mine.filter((item) => placeOf(item) <= top.forkedAt)
  const unmoved = source.id === top.id && sameItems(openedSince(reader, inherited, source.forkedAt), theirs)
  const items = [...join(reader, unmoved ? inherited : theirs, own)]
  const change = { author: act.author, prev: target.version, items, marks: [...marksOf(reader, target)] }
  const { at, v } = header(act)
  return { draft: { kind: 'context-saved', branch: target.id, at, v, ...change, source: source.id } }
}

/** "Own" is one comparison, since positions only grow and no summary crosses a fork point. */
function ownPart(list: readonly Item[], forkedAt: Position, at: Position): readonly Item[] {
  return list.filter((item) => placeOf(item) > forkedAt).map((item) => withAt(item, at))
}

function placeOf(item: Item): Position {
  return isSummary(item) ? item.end : item.from
}

/** The inherited items as they were inherited: summaries which the branch made itself are opened. */
function openedSince(reader: Reader, items: readonly Item[], forkedAt: Position): readonly Item[] {
  const index = items.findIndex((item) => isSummary(item) && item.summary > forkedAt)
  if (index === -1) return items
  const opened = openedSince(reader, coversOf(reader, items[index] as SummaryRef), forkedAt)
  const rest = openedSince(reader, items.slice(index + 1), forkedAt)
  return join(reader, join(reader, items.slice(0, index), opened), rest)
}

/** What earlier saves from below `top` brought into the target's list and is still there, shown or summarised. */
function savedBefore(
  reader: Reader,
  { target, top, list }: SaveTarget & { list: readonly Item[] },
): readonly Range[] {
  const stretch = { from: top.forkedAt, order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
  const saves = reader.rows(saveTable, { prefix: [target.id], ...stretch })
  return saves.flatMap((row) => {
    if (!isBelow(reader, row['source'] as BranchId, top)) return []
    const time = row['position'] as number
    const until = cut(reader, list, { self: target.id, time })
    const joined = after(reader, until, { self: target.id, time: time - 1 })
    return joined.flatMap((item) => flatten(reader, item))
  })
}

function isBelow(reader: Reader, id: BranchId, top: Branch): boolean {
  return lineOf(reader, getBranch(reader, id)).some((branch) => branch.id === top.id)
}

/** Drops what the target has; a summary of which it has a part is opened. */
function minus(reader: Reader, items: readonly Item[], have: readonly Range[]): readonly Item[] {
  if (have.length === 0) return normalise(reader, items)
  const left = items.flatMap((item): readonly Item[] => {
    if (!isSummary(item)) return subtract(reader, item, have)
    const ranges = flatten(reader, item)
    const missing = ranges.flatMap((range) => subtract(reader, range, have))
    if (missing.length === 0) return []
    return sameItems(missing, ranges) ? [item] : minus(reader, coversOf(reader, item), have)
  })
  return normalise(reader, left)
}

function subtract(reader: Reader, range: Range, have: readonly Range[]): readonly Range[] {
  return have
    .filter((other) => other.src === range.src)
    .reduce<readonly Range[]>(
      (left, other) => left.flatMap((piece) => without(reader, piece, other)),
      [range],
    )
}
