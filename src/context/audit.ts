import type { Event, EventOf } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import { isSummary, type Item, type Mark, type Range, type Summary, type SummaryRef } from '../event/item.ts'
import type { Projection, Reader } from '../event/table.ts'
import { findBranch, getBranch, lineOf, refuse } from './branch.ts'
import { leadOf } from './list.ts'
import { headOf, messageAtOrBefore } from './message-index.ts'
import { messageTable } from './tables.ts'
import { isChange } from './version.ts'

/**
 * Checks that an event's lists could have been decided: everything they refer to lies before the event and is of the
 * right kind. The fold copies lists without opening them and trusts this, so imported events must be audited first.
 */
export const audit: Projection = { name: 'audit', version: 1, tables: [], apply: auditEvent }

function auditEvent(event: Event, reader: Reader): void {
  if (event.kind === 'branch-created') auditBase(reader, event)
  if (event.kind === 'run-started' && findBranch(reader, event.branch)?.mode !== 'background')
    refuse(event, 'only a branch in the background is a run')
  if (event.kind === 'turn-started') auditTurn(reader, event)
  if (event.kind === 'context-saved') getBranch(reader, event.source)
  if (event.kind === 'context-compacted') {
    for (const summary of event.summaries) auditSummary(reader, event, summary)
  }
  if (!isChange(event)) return
  for (const item of event.items) auditItem(reader, event, item)
  for (const mark of event.marks) auditMark(reader, event, mark)
}

/** Deeper than any setting allows, and shallow enough for what walks up a line by calling itself. */
const DEPTH_MAX = 1_000

function auditBase(reader: Reader, event: EventOf<'branch-created'>): void {
  const { base, parent } = event
  const above = parent === null ? undefined : findBranch(reader, parent)
  if (above !== undefined && lineOf(reader, above).length >= DEPTH_MAX)
    refuse(event, `more than ${DEPTH_MAX} branches lie above each other`)
  if (base.from === 'items') for (const item of base.items) auditItem(reader, event, item)
  if (base.from !== 'parent') return
  const version = earlier(reader, event, base.version)
  if (version.kind !== 'branch-created' && !isChange(version))
    refuse(event, `event ${base.version} is no version of a list`)
  if (version.branch !== parent) refuse(event, `version ${base.version} is not one of its parent's`)
  if (base.head < base.version || base.head >= event.position)
    refuse(event, `it cannot have forked at ${base.head}`)
  if ((messageAtOrBefore(reader, version.branch, base.head)?.open ?? 0) > 0)
    refuse(event, 'it begins with half a step')
}

function auditTurn(reader: Reader, event: EventOf<'turn-started'>): void {
  const branch = findBranch(reader, event.branch)
  if (branch === undefined) return // The fold reports it.
  if (event.version !== branch.version)
    refuse(event, `the version is ${branch.version}, not ${event.version}`)
  const head = headOf(reader, branch.id)
  if (event.head !== head) refuse(event, `the head is ${head}, not ${event.head}`)
}

function auditItem(reader: Reader, event: Event, item: Item): void {
  if (item.at !== undefined && item.at > event.position)
    refuse(event, `an item joined at ${item.at}, which is to come`)
  if (isSummary(item)) auditReference(reader, event, item)
  else auditRange(reader, event, item)
}

/** A range begins and ends with a message of its branch, and covers whole steps (CTX3). */
function auditRange(reader: Reader, event: Event, { src, from, to }: Range): void {
  if (from > to || to >= event.position) refuse(event, `there is no range from ${from} to ${to} yet`)
  const first = reader.row(messageTable, [src, from])
  const last = reader.row(messageTable, [src, to])
  if (first === undefined || last === undefined)
    refuse(event, `${src} wrote no message at ${first ? to : from}`)
  const before = messageAtOrBefore(reader, src, from - 1)
  if (last['open'] !== 0 || (before?.open ?? 0) > 0)
    refuse(event, `the range from ${from} to ${to} parts a step`)
}

function auditReference(reader: Reader, event: Event, ref: SummaryRef): void {
  const summary = summaryFor(reader, event, ref)
  if (summary === undefined) refuse(event, `there is no summary ${ref.part} at ${ref.summary}`)
  const same = summary.src === ref.src && summary.last === ref.last && summary.end === ref.end
  if (!same) refuse(event, `summary ${ref.part} at ${ref.summary} is not what it is taken for`)
}

function auditSummary(reader: Reader, event: EventOf<'context-compacted'>, summary: Summary): void {
  getBranch(reader, summary.src)
  for (const item of summary.covers) {
    if (isSummary(item) && item.summary >= event.position)
      refuse(event, 'a summary covers one that is not older')
    auditItem(reader, event, item)
  }
  const { first, last, end, runFrom, jump, depth, src } = summary
  if (first > last || last >= event.position || end >= event.position)
    refuse(event, 'a summary knows what is to come')
  if (runFrom !== undefined) auditRange(reader, event, { src, from: runFrom, to: end })
  const lead = leadOf(summary)
  const below = lead && summaryFor(reader, event, lead)
  if (depth !== (below === undefined ? 0 : below.depth + 1)) refuse(event, `a summary is not ${depth} deep`)
  if (jump === undefined) return
  const target = jump.summary < event.position ? summaryFor(reader, event, jump) : undefined
  if (target?.last !== jump.last || target.depth >= depth)
    refuse(event, 'a summary jumps to where its chain is not')
}

function auditMark(reader: Reader, event: Event, { name, at }: Mark): void {
  const set = earlier(reader, event, at)
  const isPlace = set.kind === 'message-added' || (set.kind === 'mark-set' && set.name === name)
  const holds = isPlace && set.branch === event.branch
  if (!holds) refuse(event, `mark '${name}' was not set at ${at}`)
}

function summaryFor(
  reader: Reader,
  event: Event,
  { summary, part }: Pick<SummaryRef, 'summary' | 'part'>,
): Summary | undefined {
  const made = summary === event.position ? event : earlier(reader, event, summary)
  return made.kind === 'context-compacted' ? made.summaries[part] : undefined
}

function earlier(reader: Reader, event: Event, position: Position): Event {
  if (position >= event.position) refuse(event, `it refers to event ${position}, which is to come`)
  return reader.event(position)
}
