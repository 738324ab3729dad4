import type { BranchId } from '../../event/id.ts'
import type { Range } from '../../event/item.ts'
import type { Stretch } from '../contract/recall.ts'

/** Stretches of the log by the branch that wrote them: ascending, without overlaps within a branch. */
export type Places = ReadonlyMap<BranchId, readonly Stretch[]>

export function placesOf(ranges: Iterable<Range>): Places {
  const places = new Map<BranchId, readonly Stretch[]>()
  for (const [src, all] of Map.groupBy(ranges, (range) => range.src)) places.set(src, merged(all))
  return places
}

/** The union of several places. */
export function union(all: readonly Places[]): Places {
  if (all.length === 1 && all[0] !== undefined) return all[0]
  const stretches = all.flatMap((places) => [...places])
  return placesOf(stretches.flatMap(([src, own]) => own.map((stretch) => ({ src, ...stretch }) as Range)))
}

/** `places` without `others`. */
export function difference(places: Places, others: Places): Places {
  const left = new Map<BranchId, readonly Stretch[]>()
  for (const [src, stretches] of places) {
    const taken = others.get(src) ?? []
    const rest = taken.length === 0 ? stretches : without(stretches, taken)
    if (rest.length > 0) left.set(src, rest)
  }
  return left
}

function merged(ranges: readonly Range[]): readonly Stretch[] {
  const found: Stretch[] = []
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const before = found.at(-1)
    if (before === undefined || from > before.to + 1) found.push({ from, to })
    else if (to > before.to) found[found.length - 1] = { from: before.from, to }
  }
  return found
}

/** Both are ascending, so each is walked once. */
function without(stretches: readonly Stretch[], taken: readonly Stretch[]): readonly Stretch[] {
  const left: Stretch[] = []
  let next = 0
  for (const { from, to } of stretches) {
    let start = from
    while (next < taken.length && (taken[next] as Stretch).to < from) next++
    for (let at = next; at < taken.length && (taken[at] as Stretch).from <= to; at++) {
      const gone = taken[at] as Stretch
      if (gone.from > start) left.push({ from: start, to: gone.from - 1 })
      start = gone.to + 1
    }
    if (start <= to) left.push({ from: start, to })
  }
  return left
}
