import { isSideJob, runName } from '../../agent/state/run.ts'
import { oneLine } from '../../base/width.ts'
import { cutText } from '../../base/words.ts'
import { getBranch } from '../../context/branch.ts'
import { messageAtOrBefore } from '../../context/message-index.ts'
import { messagesShown, tokensShown } from '../../context/part.ts'
import { listAtVersion, type ChangeEvent } from '../../context/version.ts'
import type { EndReason, Event, EventOf, Mode } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import {
  allRows,
  integer,
  table,
  text,
  type Folds,
  type Projection,
  type Reader,
  type RowOf,
  type Writer,
} from '../../event/table.ts'

/**
 * The index of the river: branches, and what happened in them, by time. Bins count at every zoom, so that a window of
 * any length is read with a bounded number of rows.
 */

const position = integer<Position>()
const branch = text<BranchId>()

/** Counts by line and time: `line` is of `lineKey` with a level. Bins of main's messages also have its tokens. */
export const binTable = table(
  'river_bin',
  { line: text(), bin: integer() },
  { count: integer(), tokens: integer(), first: position },
)

/** Single things by line and `timeKey`. */
export const thingTable = table(
  'river_thing',
  { line: text(), at: integer() },
  {
    position,
    branch,
    text: text(),
    /** Whose mail or update it is. */
    sender: text<BranchId | null>(),
    /** How many messages left the context, and when the stretch that was rewound began. */
    messages: integer(),
    since: integer<number | null>(),
    is_undone: integer<0 | 1>(),
  },
)

/** Ended stretches of branches, by their line, the level that their length fits in, and the `timeKey` of their start. */
export const stretchTable = table(
  'river_stretch',
  { line: text(), at: integer() },
  {
    branch,
    lane: integer(),
    until: integer(),
    reason: text<EndReason | 'rested'>(),
    // So that a window is read from these rows alone.
    mode: text<Mode>(),
    title: text<string | null>(),
    parent: text<BranchId | null>(),
    messages: integer(),
  },
)

/** Where a branch is drawn. `since`: when its open stretch began (a `timeKey`); `tokens`: the size of main's context. */
const flowTable = table(
  'river_flow',
  { branch },
  { main: branch, side: text<Side>(), lane: integer(), since: integer<number | null>(), tokens: integer() },
)

/** The lanes of one side (`line`). `of`: the job that keeps the lane, or the branch in it now; null: it is free. */
export const laneTable = table('river_lane', { line: text(), lane: integer() }, { of: text<string | null>() })

/** The first position of each minute. */
export const clockTable = table('river_clock', { minute: integer() }, { position })

type Side = 'main' | 'up' | 'down'
export type Flow = RowOf<typeof flowTable>
export const thingKinds = ['mark', 'compaction', 'cut', 'mail', 'update', 'ping'] as const
export type ThingKind = (typeof thingKinds)[number]

export const MINUTE_MS = 60_000
/** Lengths of bins: a minute, 8 minutes, about an hour, … half a year, four years. */
export const BIN_MS: readonly number[] = Array.from({ length: 8 }, (_, level) => MINUTE_MS * 8 ** level)
/** Jobs beyond so many share lanes; forks beyond so many at once share the last one. */
const LANES_MAX = 24

/** The key of a table that is ordered by time. Events of one moment are told apart by their positions. */
export function timeKey({ at, position: place }: Pick<Event, 'at' | 'position'>): number {
  return at * SLOTS + (place % SLOTS)
}

export function timeOfKey(key: number): number {
  return Math.floor(key / SLOTS)
}

export function keysOf({ from, to }: { readonly from: number; readonly to: number }) {
  return { from: from * SLOTS, to: to * SLOTS + SLOTS - 1 }
}

const SLOTS = 1_024

export function lineKey(main: BranchId, what: string, level?: number): string {
  return level === undefined ? `${main} ${what}` : `${main} ${what} ${level}`
}

/** The line of the stretches on one side: every lane of jobs has its own. */
export function sideLine({ side, lane }: Pick<Flow, 'side' | 'lane'>): string {
  return side === 'down' ? `down ${lane}` : side
}

export function flowOf(reader: Reader, id: BranchId): Flow | undefined {
  return reader.row(flowTable, [id])
}

/** Its rows depend on the events and on rows that never change: a rebuild folds all other projections first. */
export const riverProjection: Projection = {
  name: 'river',
  version: 2,
  tables: [binTable, thingTable, stretchTable, flowTable, laneTable, clockTable],
  follows: true,
  apply(event, writer) {
    const minute = Math.floor(event.at / MINUTE_MS)
    if (writer.row(clockTable, [minute]) === undefined)
      writer.put(clockTable, { minute, position: event.position })
    folds[event.kind]?.(event as never, writer)
  },
}

const folds: Folds = {
  'branch-created': createBranch,
  'run-started': startRun,
  'run-rested': (event, writer) => endStretch(event, writer, 'rested'),
  'branch-ended': (event, writer) => endStretch(event, writer, event.reason),
  'import-closed': (event, writer) => {
    for (const { branch: id, side } of allRows(writer, flowTable, { prefix: [] }))
      if (side !== 'main') endStretch({ ...event, branch: id }, writer, 'discarded')
  },
  'message-added': (event, writer) => {
    const flow = flowOf(writer, event.branch)
    if (flow?.side !== 'main') return
    const tokens = flow.tokens + event.tokens
    writer.put(flowTable, { ...flow, tokens })
    addToBins(event, writer, { line: lineKey(flow.main, 'main'), tokens })
  },
  'mark-set': (event, writer) => note(event, writer, { kind: 'mark', text: event.name }),
  'context-compacted': (event, writer) => {
    note(event, writer, { kind: 'compaction', messages: leftBy(event, writer) })
    resize(event, writer, event.position)
  },
  'context-cleared': (event, writer) => {
    const to = event.to && { text: event.to.name, since: writer.event(event.to.at).at }
    note(event, writer, { kind: 'cut', messages: leftBy(event, writer), ...to })
    resize(event, writer, event.position)
  },
  'context-expanded': (event, writer) => resize(event, writer, event.position),
  'context-saved': (event, writer) => resize(event, writer, event.position),
  'context-undone': (event, writer) => {
    setUndone(event.undone, writer, 1)
    resize(event, writer, event.version)
  },
  'context-redone': (event, writer) => {
    setUndone(event.version, writer, 0)
    resize(event, writer, event.version)
  },
  'mail-sent': (event, writer) => note(event, writer, { kind: 'mail', text: event.text, sender: event.from }),
  'update-reported': (event, writer) =>
    note(event, writer, { kind: 'update', text: event.text, sender: event.from }),
  'ping-decided': (event, writer) => {
    if (event.verdict === 'sent') note(event, writer, { kind: 'ping', text: event.text })
  },
}

function createBranch(event: EventOf<'branch-created'>, writer: Writer): void {
  const { branch: id, mode, parent } = event
  const since = timeKey(event)
  if (mode === 'main')
    return writer.put(flowTable, { branch: id, main: id, side: 'main', lane: 0, since, tokens: 0 })
  const above = parent === null ? undefined : flowOf(writer, parent)
  // A run gets its lane with its job, just after this.
  if (above === undefined || mode === 'background') return
  const { main } = above
  if (mode === 'child' && above.side === 'down')
    return beginStretch(event, writer, { ...above, branch: id, since })
  const lane = freeLane(writer, main, above.side === 'up' ? above.lane + 1 : 1)
  writer.put(laneTable, { line: lineKey(main, 'up'), lane, of: id })
  beginStretch(event, writer, { branch: id, main, side: 'up', lane, since, tokens: 0 })
}

function startRun(event: EventOf<'run-started'>, writer: Writer): void {
  if (isSideJob(event)) return
  const known = flowOf(writer, event.branch)
  const since = timeKey(event)
  if (known !== undefined) return beginStretch(event, writer, { ...known, since })
  const { parent } = getBranch(writer, event.branch)
  const above = parent === null ? undefined : flowOf(writer, parent)
  if (above === undefined) return
  const { main } = above
  const lane = laneOfJob(writer, main, event.tag === 'reminder-bg' ? REMINDERS : runName(event))
  beginStretch(event, writer, { branch: event.branch, main, side: 'down', lane, since, tokens: 0 })
}

/** Reminders are many, and each is due once: they share a lane. */
const REMINDERS = 'reminders'

function beginStretch(event: Event, writer: Writer, flow: Flow): void {
  writer.put(flowTable, flow)
  addToBins(event, writer, { line: lineKey(flow.main, sideLine(flow)), tokens: 0 })
}

function endStretch(
  event: Pick<Event, 'branch' | 'at' | 'position'>,
  writer: Writer,
  reason: RowOf<typeof stretchTable>['reason'],
): void {
  const flow = flowOf(writer, event.branch)
  if (flow === undefined || flow.since === null) return
  const lengthMs = event.at - timeOfKey(flow.since)
  const fits = BIN_MS.findIndex((ms) => lengthMs <= ms)
  const line = lineKey(flow.main, sideLine(flow), fits === -1 ? BIN_MS.length - 1 : fits)
  const messages = messageAtOrBefore(writer, flow.branch, event.position)?.ordinal ?? 0
  const about = { messages, ...shownOf(writer, flow.branch) }
  const ends = { at: flow.since, until: event.at }
  writer.put(stretchTable, { line, ...ends, branch: flow.branch, lane: flow.lane, reason, ...about })
  writer.put(flowTable, { ...flow, since: null })
  const lane = flow.side === 'up' ? writer.row(laneTable, [lineKey(flow.main, 'up'), flow.lane]) : undefined
  if (lane?.of === flow.branch) writer.put(laneTable, { ...lane, of: null })
}

/** What is shown of a branch and never changes. */
export function shownOf(reader: Reader, id: BranchId) {
  const { mode, title, parent } = getBranch(reader, id)
  return { mode, title: title && shortened(title), parent }
}

/** The lowest lane from `from` on that no living branch has. */
function freeLane(reader: Reader, main: BranchId, from: number): number {
  const taken = new Set<number>()
  for (const { lane, of } of allRows(reader, laneTable, { prefix: [lineKey(main, 'up')] }))
    if (of !== null) taken.add(lane)
  for (let lane = from; lane < LANES_MAX; lane++) if (!taken.has(lane)) return lane
  return LANES_MAX
}

/** A job keeps its lane for good. */
function laneOfJob(writer: Writer, main: BranchId, of: string): number {
  const line = lineKey(main, 'down')
  const lanes = [...allRows(writer, laneTable, { prefix: [line] })]
  const known = lanes.find((lane) => lane.of === of)
  if (known !== undefined) return known.lane
  const lane = lanes.length + 1
  if (lane > LANES_MAX)
    return 1 + (Array.from(of).reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % LANES_MAX)
  writer.put(laneTable, { line, lane, of })
  return lane
}

function note(event: Event, writer: Writer, { kind, text: words = '', ...more }: Noted): void {
  const main = flowOf(writer, event.branch)?.main
  if (main === undefined) return
  const line = lineKey(main, kind)
  const place = { line, at: timeKey(event), position: event.position, branch: event.branch }
  const about = { sender: null, messages: 0, since: null, is_undone: 0 as const, ...more }
  writer.put(thingTable, { ...place, ...about, text: shortened(words) })
  addToBins(event, writer, { line, tokens: 0 })
}

type Noted = { readonly kind: ThingKind } & Partial<
  Pick<RowOf<typeof thingTable>, 'text' | 'sender' | 'messages' | 'since'>
>

const TEXT_CHARS_MAX = 140

export function shortened(words: string): string {
  return cutText(oneLine(words), TEXT_CHARS_MAX)
}

/** How many messages a change took out of the context. */
function leftBy(event: ChangeEvent, reader: Reader): number {
  const before = messagesShown(reader, listAtVersion(reader, event.prev, event.position))
  return before - messagesShown(reader, event.items)
}

function setUndone(place: Position, writer: Writer, is_undone: 0 | 1): void {
  const event = writer.event(place)
  const main = flowOf(writer, event.branch)?.main
  const kind = event.kind === 'context-cleared' ? 'cut' : 'compaction'
  const thing = main && writer.row(thingTable, [lineKey(main, kind), timeKey(event)])
  if (thing !== undefined) writer.put(thingTable, { ...thing, is_undone })
}

/** The size of main's context has changed. */
function resize(event: Event, writer: Writer, version: Position): void {
  const flow = flowOf(writer, event.branch)
  if (flow?.side !== 'main') return
  const tokens = tokensShown(writer, listAtVersion(writer, version, event.position))
  writer.put(flowTable, { ...flow, tokens })
  addToBins(event, writer, { line: lineKey(flow.main, 'main'), tokens, count: 0 })
}

function addToBins(
  { at, position: first }: Pick<Event, 'at' | 'position'>,
  writer: Writer,
  { line, tokens, count = 1 }: { line: string; tokens: number; count?: 0 | 1 },
): void {
  for (const [level, ms] of BIN_MS.entries()) {
    const key = { line: `${line} ${level}`, bin: Math.floor(at / ms) }
    const bin = writer.row(binTable, [key.line, key.bin])
    writer.put(binTable, { ...key, count: (bin?.count ?? 0) + count, tokens, first: bin?.first ?? first })
  }
}
