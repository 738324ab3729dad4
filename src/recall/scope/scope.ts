import { getBranch, lineOf, type Branch } from '../../context/branch.ts'
import { flatten, leadOf, summaryAt } from '../../context/list.ts'
import { saveTable } from '../../context/tables.ts'
import { listOf } from '../../context/version.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import { isSummary, type Item, type Range, type SummaryRef } from '../../event/item.ts'
import { allRows, type Reader } from '../../event/table.ts'
import { difference, placesOf, union, type Places } from './places.ts'
import { OWNER, UNNAMED } from '../../event/speaker.ts'
import type { People, Within } from '../contract/recall.ts'
import { keep, listBefore, versionsOf, standingClears, standingOf, type Versions } from './standing.ts'

export interface Automatic {
  /** The branch's context policy; under `explicit` nothing is recalled unasked. */
  readonly policy: 'managed' | 'explicit'
  /** Whether what was said before a standing `/clear` or `/new` of this branch may come back. */
  readonly acrossClear: boolean
  /** A cache for repeated calls. */
  readonly versions?: Versions
}

/**
 * What may come back by itself into a branch's prompt: what its list stands for and does not show. What a standing
 * rewind dropped, and what forks said that nobody saved, is in no list of it. Undefined: there is nothing to look for.
 */
export function automaticWithin(
  reader: Reader,
  id: BranchId,
  { policy, acrossClear, versions = versionsOf(reader) }: Automatic,
): Within | undefined {
  const branch = getBranch(reader, id)
  if (policy === 'explicit' || branch.mode === 'child' || isIsolated(reader, branch)) return undefined
  const list = listOf(reader, branch)
  const covered = list.filter(isSummary).map((ref) => placesUnder(reader, ref, versions))
  const all = union(acrossClear ? [...covered, clearedIn(reader, branch, versions)] : covered)
  const places = difference(all, placesOf(list.filter((item): item is Range => !isSummary(item))))
  return places.size === 0 ? undefined : (other) => places.get(other) ?? []
}

/** An isolated background run has no past. */
function isIsolated(reader: Reader, { mode, forkedAt }: Branch): boolean {
  if (mode !== 'background') return false
  const created = reader.event(forkedAt)
  return created.kind === 'branch-created' && created.base.from === 'nothing'
}

const SUMMARIES_REMEMBERED = 64

/** The places a summary covers, computed from the cached places of the summary it folded in, if possible. */
export function placesUnder(reader: Reader, ref: SummaryRef, { covered }: Versions): Places {
  const key = `${ref.summary} ${ref.part}`
  const summary = summaryAt(reader, ref)
  const lead = leadOf(summary)
  const folded = lead && covered.get(`${lead.summary} ${lead.part}`)
  const places =
    covered.get(key) ??
    (folded === undefined
      ? placesOf(flatten(reader, ref))
      : union([folded, placesOf(rangesUnder(reader, summary.covers.slice(1)))]))
  covered.delete(key)
  covered.set(key, places)
  const [oldest] = covered.keys()
  if (covered.size > SUMMARIES_REMEMBERED && oldest !== undefined) covered.delete(oldest)
  return places
}

function rangesUnder(reader: Reader, items: readonly Item[]): Range[] {
  return items.flatMap((item) => flatten(reader, item))
}

/** Places that a branch's standing clears removed from its list, without those a rewind removed. */
function clearedIn(reader: Reader, branch: Branch, versions: Versions): Places {
  const found = [...standingClears(reader, branch, versions)].map((clear) => {
    const places = versions.cleared.get(clear) ?? keep(versions.cleared, clear, clearedBy(reader, clear))
    return difference(places, rewoundSince(reader, branch, { clear, places, versions }))
  })
  return union(found)
}

/** With what a model's clear keeps: that is still in the list, or left it by another clear. */
function clearedBy(reader: Reader, position: Position): Places {
  const clear = reader.event(position) as EventOf<'context-cleared'>
  return placesOf(rangesUnder(reader, listBefore(reader, clear)))
}

/** Cleared messages may have been saved again and rewound since: the last change counts. */
function rewoundSince(
  reader: Reader,
  branch: Branch,
  { clear, places, versions }: { clear: Position; places: Places; versions: Versions },
): Places {
  const target = branch.id
  const tops = new Set(
    [...places.keys()].flatMap((src) => topBelow(reader, versions, { target, id: src }) ?? []),
  )
  if (tops.size === 0) return new Map()
  const saves = [...allRows(reader, saveTable, { prefix: [target], from: clear })]
  const ranges = saves.flatMap((row) => {
    const top = topBelow(reader, versions, { target, id: row.source })
    if (top === undefined || !tops.has(top)) return []
    const time = row.position
    return standingOf(reader, branch, { time, versions }) === 'rewound' ? savedAt(reader, time) : []
  })
  return placesOf(ranges)
}

/**
 * The branch right below `target` on the line to `id`. Whatever saves bring into the target, they bring from below one
 * such branch: what another one wrote, they do not have or have inherited.
 */
export function topBelow(
  reader: Reader,
  versions: Versions,
  { target, id }: { target: BranchId; id: BranchId },
): BranchId | undefined {
  const key = `${target} ${id}`
  if (versions.tops.has(key)) return versions.tops.get(key)
  const line = lineOf(reader, getBranch(reader, id))
  return keep(versions.tops, key, line.findLast(({ parent }) => parent === target)?.id)
}

/** The messages that a save brought into its target. */
export function savedAt(reader: Reader, position: Position): Range[] {
  const { items } = reader.event(position) as EventOf<'context-saved'>
  return rangesUnder(
    reader,
    items.filter(({ at }) => at === position),
  )
}

interface Asking {
  /** Who asks; absent where nobody knows: then what nobody else said. */
  readonly person?: string
  /** The people who ever spoke in a tree of branches; it is named by the branch above all others in it. */
  readonly voices: (tree: BranchId) => readonly string[]
  /** Whether what no person said, such as an imported conversation, is theirs: it is the owner's, and no guest's. */
  readonly withUnvoiced: boolean
}

/**
 * What a person may find who asks in a branch: the trees in which nobody but they spoke. Where several people speak,
 * what they say stays among them: that tree sees itself alone, and no other one sees it.
 */
export function personWithin(reader: Reader, id: BranchId, { person, voices, withUnvoiced }: Asking): Within {
  const here = treeOf(reader, id)
  const [asker = person, ...others] = new Set([...voices(here), ...(person === undefined ? [] : [person])])
  const isSeen = (tree: BranchId): boolean => {
    if (tree === here) return true
    if (others.length > 0) return false
    const heard = voices(tree)
    return heard.length === 0 ? withUnvoiced : heard.every((voice) => voice === asker)
  }
  const known = new Map<BranchId, ReturnType<Within>>()
  return (branch) => {
    const seen = known.get(branch) ?? (isSeen(treeOf(reader, branch)) ? 'all' : [])
    known.set(branch, seen)
    return seen
  }
}

/** `personWithin` for an asker, from the known speakers of each branch. */
export function withinOf(
  reader: Reader,
  people: People,
  { branch, asker }: { readonly branch: BranchId; readonly asker: string },
): Within {
  const heard = new Map<BranchId, Set<string>>()
  for (const [id, names] of people) {
    const tree = treeOf(reader, id)
    heard.set(tree, (heard.get(tree) ?? new Set()).union(new Set(names)))
  }
  const voices = (tree: BranchId) => [...(heard.get(tree) ?? [])]
  // What was imported is the owner's; of one who has no name nobody knows better.
  const withUnvoiced = asker === OWNER || asker === UNNAMED
  return personWithin(reader, branch, { person: asker, voices, withUnvoiced })
}

/** The branch above all others on its line. */
export function treeOf(reader: Reader, branch: BranchId): BranchId {
  return lineOf(reader, getBranch(reader, branch)).at(-1)?.id ?? branch
}
