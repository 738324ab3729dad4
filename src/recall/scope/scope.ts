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
  /** Whether messages from before a standing `/clear` or `/new` of this branch may be recalled. */
  readonly acrossClear: boolean
  /** A cache for repeated calls. */
  readonly versions?: Versions
}

/**
 * Messages that may be recalled automatically into a branch's prompt: those its summaries cover and its list does not
 * show. Rewound messages and unsaved forks are not in its list. Undefined: there is nothing to search.
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

/** Includes messages that a model's clear keeps: they are still in the list, or another clear removed them. */
function clearedBy(reader: Reader, position: Position): Places {
  const clear = reader.event(position) as EventOf<'context-cleared'>
  return placesOf(rangesUnder(reader, listBefore(reader, clear)))
}

/** Cleared messages may have been saved again and rewound since: then they count as rewound. */
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
 * The branch right below `target` on the line to `id`. A save into the target only brings messages from below one such
 * branch, so saves from below another one need not be read.
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

/** The person whose a branch is. Nobody finds what is another's, whoever spoke there (PEOPLE2). */
export type Whose = (reader: Reader, branch: BranchId) => string

/**
 * What a person in a branch may find: the trees of branches in which nobody else spoke. A tree with several people only
 * finds itself, and is found by no other tree: what people say there stays among them.
 */
export function withinOf(
  reader: Reader,
  people: People,
  { branch, asker, whose, topOf = (id) => treeOf(reader, id) }: WithinLook,
): Within {
  const treesOf = (name: string) => (people.get(name) ?? new Set()).values().map(topOf)
  const others = new Set(people.keys().flatMap((name) => (name === asker ? [] : treesOf(name))))
  const isAlone = (tree: BranchId): boolean => !others.has(tree)
  // Text without a speaker is an import, which is the owner's; an asker without a name counts as the owner.
  const isOwner = asker === OWNER || asker === UNNAMED
  const spokeIn = isOwner ? undefined : new Set(treesOf(asker))
  const here = topOf(branch)
  const own = whose(reader, here)
  const isSeen = (tree: BranchId): boolean =>
    tree === here ||
    (whose(reader, tree) === own && isAlone(here) && isAlone(tree) && (spokeIn?.has(tree) ?? true))
  const known = new Map<BranchId, ReturnType<Within>>()
  return (id) => {
    const tree = topOf(id)
    const seen = known.get(tree) ?? (isSeen(tree) ? 'all' : [])
    known.set(tree, seen)
    return seen
  }
}

interface WithinLook {
  readonly branch: BranchId
  readonly asker: string
  readonly whose: Whose
  /** `treeOf`, unless it is known already. */
  readonly topOf?: (branch: BranchId) => BranchId
}

/** The top branch above this one. */
export function treeOf(reader: Reader, branch: BranchId): BranchId {
  return lineOf(reader, getBranch(reader, branch)).at(-1)?.id ?? branch
}
