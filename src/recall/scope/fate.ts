import { getBranch, type Branch } from '../../context/branch.ts'
import { saveTarget } from '../../context/save.ts'
import { saveTable } from '../../context/tables.ts'
import { listOf } from '../../context/version.ts'
import type { EndReason } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import { isSummary, type Range } from '../../event/item.ts'
import type { Reader } from '../../event/table.ts'
import { isIn, placesOf } from './places.ts'
import { savedAt, topBelow } from './scope.ts'
import { versionsOf, standingOf, type Dropped, type Versions } from './standing.ts'

/**
 * What became of a message. `shown` and `summarised`: some branch still goes by it, or went by it when it ended well.
 * The next three no branch goes by any more. `other`: it is in no list and nobody took it out of one, as with a step
 * that never ended.
 */
export type Fate = 'shown' | 'summarised' | 'rewound' | 'cleared' | 'discarded' | 'other'

/** What a person reads beside a message; the other fates need no word. */
export function labelOf(fate: Fate): 'rewound' | 'cleared' | 'discarded' | undefined {
  return fate === 'rewound' || fate === 'cleared' || fate === 'discarded' ? fate : undefined
}

export interface Said {
  readonly branch: BranchId
  readonly position: Position
  /** Which summary, where a compaction stands there. */
  readonly part?: number
}

/**
 * It counts where it was written, and in the branches it was saved into, up to the main session. Where one that has not
 * ended still has it, it is there; else what last took it away says what it is.
 */
export function fateOf(reader: Reader, hit: Said, versions = versionsOf(reader)): Fate {
  const said = wordsOf(reader, hit)
  const writer = getBranch(reader, said.branch)
  const own = ownFate(reader, writer, { ...said, versions })
  if (isThere(own) && writer.state.kind !== 'ended') return own
  const saved = savedFates(reader, writer, { ...said, versions })
  const there = saved.find(({ branch, fate }) => isThere(fate) && branch.state.kind !== 'ended')
  if (there !== undefined) return there.fate
  if (!isThere(own) || writer.state.kind !== 'ended') return own
  const [last] = saved
  if (last === undefined) return isGivenUp(writer.state.reason) ? 'discarded' : own
  return endFate(last)
}

/** A summary goes the way of the last message that it covers. */
function wordsOf(reader: Reader, hit: Said): Said {
  const event = reader.event(hit.position)
  const summary = event.kind === 'context-compacted' ? event.summaries[hit.part ?? 0] : undefined
  return summary === undefined ? hit : { branch: reader.event(summary.end).branch, position: summary.end }
}

/** Of a branch that was saved and does not count by itself any more: as it is where it was saved to. */
function endFate({ branch, fate }: Saved): Fate {
  const { state } = branch
  return isThere(fate) && state.kind === 'ended' && isGivenUp(state.reason) ? 'discarded' : fate
}

/**
 * Nobody took over what such a branch said. One that ended as saved counts among them when the save does not stand; of
 * one that reported or finished, somebody got the gist.
 */
function isGivenUp(reason: EndReason): boolean {
  return reason !== 'reported' && reason !== 'finished'
}

function isThere(fate: Fate): boolean {
  return fate === 'shown' || fate === 'summarised'
}

interface Looked extends Said {
  readonly versions: Versions
}

function ownFate(reader: Reader, writer: Branch, { position: time, versions }: Looked): Fate {
  const standing = standingOf(reader, writer, { time, versions })
  if (standing === 'absent') return 'other'
  return standing === 'listed' ? shownIn(reader, writer, { branch: writer.id, position: time }) : standing
}

function shownIn(reader: Reader, branch: Branch, said: Said): 'shown' | 'summarised' {
  const ranges = listOf(reader, branch).filter((item): item is Range => !isSummary(item))
  return isIn(placesOf(ranges), said) ? 'shown' : 'summarised'
}

interface Saved {
  readonly branch: Branch
  readonly fate: 'shown' | 'summarised' | Dropped
}

/** By the last standing save into each branch above it, the nearest branch first. */
function savedFates(reader: Reader, writer: Branch, said: Looked): readonly Saved[] {
  const found: Saved[] = []
  for (let from = writer; ;) {
    const target = saveTarget(reader, from)?.target
    if (target === undefined) return found
    const fate = fateInTarget(reader, target, said)
    if (fate !== undefined) found.push({ branch: target, fate })
    from = target
  }
}

function fateInTarget(reader: Reader, target: Branch, said: Looked): Saved['fate'] | undefined {
  const topOf = (id: BranchId) => topBelow(reader, said.versions, { target: target.id, id })
  const top = topOf(said.branch)
  const stretch = { from: said.position, order: 'down', limit: Number.MAX_SAFE_INTEGER } as const
  for (const row of reader.rows(saveTable, { prefix: [target.id], ...stretch })) {
    if (topOf(row['source'] as BranchId) !== top) continue
    const time = row['position'] as Position
    if (!isIn(placesOf(savedAt(reader, time)), said)) continue
    const standing = standingOf(reader, target, { time, versions: said.versions })
    if (standing === 'listed') return shownIn(reader, target, said)
    if (standing !== 'absent') return standing
  }
  return undefined
}
