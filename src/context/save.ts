import type { BranchId, Position } from '../event/id.ts'
import { isSummary, type Item, type Range, type SummaryRef, type Items } from '../event/item.ts'
import { allRows, type Reader } from '../event/table.ts'
import { findBranch, getBranch, lineOf, type Branch } from './branch.ts'
import { changeableBetweenTurns, isRefusal, type Act, type Decision } from './decision.ts'
import { after, coversOf, cut, flatten, join, joinedAt, normalise, sameItems, without } from './list.ts'
import { saveTable } from './tables.ts'
import { listOf, marksOf } from './version.ts'

/** The branch that a save goes to, and the branch on the way whose creation separates inherited from own. */
export interface SaveTarget {
  readonly target: Branch
  readonly top: Branch
}

/** The nearest main session above, or the parent if there is none. */
export function saveTarget(reader: Reader, source: Branch): SaveTarget | undefined {
  const line = lineOf(reader, source)
  const main = line.findIndex((branch, index) => index > 0 && branch.mode === 'main')
  const index = main === -1 ? 1 : main
  const [target, top] = [line[index], line[index - 1]]
  return target && top && { target, top }
}

/** Appends the source's own items that the target does not have yet to the target's list. `branch` is the source. */
export function save(reader: Reader, act: Act): Decision<'context-saved'> {
  const source = findBranch(reader, act.branch)
  if (source === undefined) return { refused: 'unknown-branch', branch: act.branch }
  if (source.state.kind === 'running') return { refused: 'turn-running' }
  const found = saveTarget(reader, source)
  if (found === undefined) return { refused: 'nothing-to-do', what: 'save' }
  const { top } = found
  const target = changeableBetweenTurns(reader, found.target.id)
  if (isRefusal(target)) return target
  const position = (reader.end + 1) as Position
  const theirs = listOf(reader, target)
  const mine = listOf(reader, source)
  const had = broughtBefore(reader, { target, top, list: theirs })
  const own = minus(reader, ownPart(mine, top.forkedAt, position), had)
  if (own.length === 0) return { refused: 'nothing-to-do', what: 'save' }
  const inherited = mine.filter((item) => placeOf(item) <= top.forkedAt)
  const unmoved = source.id === top.id && sameItems(openedSince(reader, inherited, source.forkedAt), theirs)
  const items = [...join(reader, unmoved ? inherited : theirs, own)]
  const change = { author: act.author, prev: target.version, items, marks: [...marksOf(reader, target)] }
  return { draft: { kind: 'context-saved', branch: target.id, at: act.at, ...change, source: source.id } }
}

/** "Own" is a single comparison: positions only grow, and no summary crosses a fork point. */
function ownPart(list: Items, forkedAt: Position, at: Position): Items {
  return list.filter((item) => placeOf(item) > forkedAt).map((item) => ({ ...item, at }))
}

function placeOf(item: Item): Position {
  return isSummary(item) ? item.end : item.from
}

/** The inherited items as they were inherited: summaries that the branch made itself are opened. */
function openedSince(reader: Reader, items: Items, forkedAt: Position): Items {
  const index = items.findIndex((item) => isSummary(item) && item.summary > forkedAt)
  if (index === -1) return items
  const opened = openedSince(reader, coversOf(reader, items[index] as SummaryRef), forkedAt)
  const rest = openedSince(reader, items.slice(index + 1), forkedAt)
  return join(reader, join(reader, items.slice(0, index), opened), rest)
}

/** Items that earlier saves from below `top` brought into the target's list, still shown or summarised there. */
interface Brought {
  readonly ranges: readonly Range[]
  /** Position of the newest of those saves: none of them has anything newer. */
  readonly until: number
}

function broughtBefore(reader: Reader, { target, top, list }: SaveTarget & { list: Items }): Brought {
  const saves = allRows(reader, saveTable, { prefix: [target.id], from: top.forkedAt })
  const shown = Map.groupBy(list, (item) => item.at)
  const summaries = list.filter((item) => isSummary(item) && item.at === undefined)
  const found: Range[] = []
  let until = 0
  for (const row of saves) {
    if (!isBelow(reader, row.source, top)) continue
    const time = row.position
    const covered = joinedAt(reader, summaries, { self: target.id, time })
    const items = [...(shown.get(time) ?? []), ...covered]
    for (const item of items) for (const range of flatten(reader, item)) found.push(range)
    if (items.length > 0) until = time
  }
  return { ranges: found, until }
}

function isBelow(reader: Reader, id: BranchId, top: Branch): boolean {
  return lineOf(reader, getBranch(reader, id)).some((branch) => branch.id === top.id)
}

/** Drops the items that the target has. */
function minus(reader: Reader, items: Items, had: Brought): Items {
  if (had.ranges.length === 0) return normalise(reader, items)
  const left = items.flatMap((item): Items =>
    isSummary(item) ? minusSummary(reader, item, had) : subtract(reader, item, had.ranges),
  )
  return normalise(reader, left)
}

/** Opens a summary of which the target has a part: first where the last save splits it, then down its chain. */
function minusSummary(reader: Reader, ref: SummaryRef, had: Brought): Items {
  let kept: Items = []
  for (let now: Item | undefined = ref; now !== undefined && isSummary(now);) {
    const ranges = flatten(reader, now)
    const missing = ranges.flatMap((range) => subtract(reader, range, had.ranges))
    if (missing.length === 0) return kept
    if (sameItems(missing, ranges)) return [now, ...kept]
    const [first, ...rest] = openedAround(reader, now, had.until)
    const leads = first !== undefined && isSummary(first)
    kept = join(reader, minus(reader, leads || first === undefined ? rest : [first, ...rest], had), kept)
    now = leads ? first : undefined
  }
  return kept
}

/** The items a summary covers, with everything that joined after `time` opened in one step. */
function openedAround(reader: Reader, ref: SummaryRef, time: number): Items {
  const { src, last, at } = ref
  if (last <= time) return coversOf(reader, ref)
  const { summary, part, end } = ref
  const bare: SummaryRef = { summary, part, src, last, end }
  const place = { self: src, time }
  const opened = join(reader, cut(reader, [bare], place), after(reader, [bare], place))
  if (opened.some((item) => isSummary(item) && item.summary === summary && item.part === part)) {
    return coversOf(reader, ref)
  }
  return at === undefined ? opened : opened.map((item) => ({ ...item, at }))
}

function subtract(reader: Reader, range: Range, have: readonly Range[]): readonly Range[] {
  return have
    .filter((other) => other.src === range.src)
    .reduce<readonly Range[]>(
      (left, other) => left.flatMap((piece) => without(reader, piece, other)),
      [range],
    )
}
