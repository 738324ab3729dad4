import { getBranch, type Branch } from '../../context/branch.ts'
import { saveTarget } from '../../context/save.ts'
import { saveTable } from '../../context/tables.ts'
import { listOf } from '../../context/version.ts'
import type { EndReason } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import { isSummary, type Range } from '../../event/item.ts'
import type { Reader, RowOf } from '../../event/table.ts'
import { isIn } from '../contract/recall.ts'
import { placesOf, type Places } from './places.ts'
import { placesUnder, savedAt, topBelow } from './scope.ts'
import { versionsOf, standingOf, type Dropped, type Versions } from './standing.ts'

/**
 * The fate of a message. `shown` and `summarised`: it is in the context of some branch, or was when that branch ended
 * well. `rewound`, `cleared` and `discarded`: it is in none. `superseded`: a summary that a newer one replaced.
 * `other`: it never was in a context, as with a step that never ended.
 */
export type Fate = 'shown' | 'summarised' | 'rewound' | 'cleared' | 'discarded' | 'superseded' | 'other'

/** Fates that are shown beside a message; the others need no label. */
export function labelOf(fate: Fate): Label | undefined {
  return isThere(fate) || fate === 'other' ? undefined : fate
}

export type Label = Exclude<Fate, 'shown' | 'summarised' | 'other'>

/** How a main session learned of an update: by a message that shows or only counts it, or by a save of one that shows it. */
export interface Told {
  readonly by: 'message' | 'count' | 'save'
  readonly position: Position
}

/** An update shares the fate of the message that told it; null: none has yet. */
export function updateLabelOf(
  reader: Reader,
  { branch }: Pick<Said, 'branch'>,
  told: Told | null,
): Label | 'pending' | undefined {
  if (told === null) return 'pending'
  if (told.by === 'count') return undefined
  const question = { time: told.position, versions: versionsOf(reader) }
  const standing = standingOf(reader, getBranch(reader, branch), question)
  return standing === 'rewound' || standing === 'cleared' ? standing : undefined
}

export interface Said {
  readonly branch: BranchId
  readonly position: Position
  /** Which summary, if the event is a compaction. */
  readonly part?: number
}

/**
 * Looks at the branch that wrote the message and at the branches it was saved into, up to the main session. If one of
 * them still has it and has not ended, that decides; otherwise what removed it last does.
 */
export function fateOf(reader: Reader, hit: Said, versions = versionsOf(reader)): Fate {
  const said = wordsOf(reader, hit)
  const fate = fateOfWords(reader, said, versions)
  if (said === hit || !isThere(fate)) return fate
  return isSuperseded(reader, { hit, end: said, versions }) ? 'superseded' : fate
}

function fateOfWords(reader: Reader, said: Said, versions: Versions): Fate {
  const writer = getBranch(reader, said.branch)
  const own = ownFate(reader, writer, { ...said, versions })
  if (isThere(own) && writer.state.kind !== 'ended') return own
  const saved = savedFates(reader, writer, { ...said, versions })
  const there = saved.find(({ branch, fate }) => isThere(fate) && branch.state.kind !== 'ended')
  if (there !== undefined) return there.fate
  if (!isThere(own) || writer.state.kind !== 'ended') return own
  const [last] = saved
  if (last === undefined) return isGivenUp(writer.state.reason) ? 'discarded' : own
  const { state } = last.branch
  const isLost = isThere(last.fate) && state.kind === 'ended' && isGivenUp(state.reason)
  return isLost ? 'discarded' : last.fate
}

/** A summary shares the fate of the last message it covers. */
function wordsOf(reader: Reader, hit: Said): Said {
  const event = reader.event(hit.position)
  const summary = event.kind === 'context-compacted' ? event.summaries[hit.part ?? 0] : undefined
  return summary === undefined ? hit : { branch: reader.event(summary.end).branch, position: summary.end }
}

/**
 * Nobody got the messages of such a branch. A saved branch is among them when the save was undone; from one that
 * reported or finished, somebody got the gist.
 */
function isGivenUp(reason: EndReason): boolean {
  return reason !== 'reported' && reason !== 'finished'
}

function isThere(fate: Fate): fate is 'shown' | 'summarised' {
  return fate === 'shown' || fate === 'summarised'
}

interface Folding {
  /** The summary, and the last message that it covers. */
  readonly hit: Said
  readonly end: Said
  readonly versions: Versions
}

/** Looks at the branch that made the summary and at those it was saved into, as for a message. */
function isSuperseded(reader: Reader, folding: Folding): boolean {
  const { branch } = reader.event(folding.hit.position)
  const maker = getBranch(reader, branch)
  const living = [maker, ...targetsOf(reader, maker)].filter(({ state }) => state.kind !== 'ended')
  const places = living.flatMap((one) => placeIn(reader, one, folding) ?? [])
  if (places.length > 0) return !places.includes('held')
  return placeIn(reader, maker, folding) === 'replaced'
}

/** Whether a list has the summary, or a newer one that covers the same. */
function placeIn(
  reader: Reader,
  branch: Branch,
  { hit, end, versions }: Folding,
): 'held' | 'replaced' | undefined {
  const refs = listOf(reader, branch).filter(isSummary)
  if (refs.some(({ summary, part }) => summary === hit.position && part === (hit.part ?? 0))) return 'held'
  const newer = refs.filter(({ summary }) => summary > hit.position)
  return newer.some((ref) => hasSaid(placesUnder(reader, ref, versions), end)) ? 'replaced' : undefined
}

function hasSaid(places: Places, { branch, position }: Said): boolean {
  return isIn(places.get(branch) ?? [], position)
}

function targetsOf(reader: Reader, from: Branch): Branch[] {
  const target = saveTarget(reader, from)?.target
  return target === undefined ? [] : [target, ...targetsOf(reader, target)]
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
  return hasSaid(placesOf(ranges), said) ? 'shown' : 'summarised'
}

interface Saved {
  readonly branch: Branch
  readonly fate: 'shown' | 'summarised' | Dropped
}

/** The fate in each branch it was saved into, by the last save that stands; the nearest branch first. */
function savedFates(reader: Reader, writer: Branch, said: Looked): readonly Saved[] {
  return targetsOf(reader, writer).flatMap((branch) => {
    const fate = fateInTarget(reader, branch, said)
    return fate === undefined ? [] : [{ branch, fate }]
  })
}

function fateInTarget(reader: Reader, target: Branch, said: Looked): Saved['fate'] | undefined {
  const topOf = (id: BranchId) => topBelow(reader, said.versions, { target: target.id, id })
  const top = topOf(said.branch)
  for (const { source, position: time } of savesBackTo(reader, target.id, said.position)) {
    if (topOf(source) !== top) continue
    if (!hasSaid(placesOf(savedAt(reader, time)), said)) continue
    const standing = standingOf(reader, target, { time, versions: said.versions })
    if (standing === 'listed') return shownIn(reader, target, said)
    if (standing !== 'absent') return standing
  }
  return undefined
}

const PAGE = 100

/** The saves into a branch since `from`, newest first. */
function* savesBackTo(reader: Reader, id: BranchId, from: Position): Generator<RowOf<typeof saveTable>> {
  for (let to = reader.end; ;) {
    const rows = reader.rows(saveTable, { prefix: [id], from, to, order: 'down', limit: PAGE })
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    to = last.position - 1
  }
}
