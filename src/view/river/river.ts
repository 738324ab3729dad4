import { turnNumber } from '../../agent/state/turn-number.ts'
import { getBranch } from '../../context/branch.ts'
import { livingFrom } from '../../context/living.ts'
import { lastMessage } from '../../context/message-index.ts'
import { messageTable } from '../../context/tables.ts'
import type { EventOf } from '../../event/event.ts'
import { handleOf, type BranchId, type Position } from '../../event/id.ts'
import { allRows, type Reader, type RowOf } from '../../event/table.ts'
import {
  BIN_MS,
  binTable,
  clockTable,
  flowOf,
  keysOf,
  laneTable,
  lineKey,
  MINUTE_MS,
  shortened,
  shownOf,
  sideLine,
  stretchTable,
  thingKinds,
  thingTable,
  timeOfKey,
  type Flow,
  type ThingKind,
} from './fold.ts'

export interface RiverLook {
  readonly main: BranchId
  /** Milliseconds since 1970, as all times here. */
  readonly from: number
  readonly to: number
  /** How wide it is drawn: bins are at least two pixels wide. */
  readonly pixels: number
}

/** A window of the river. What is too dense to be listed is counted in bins. Programs rely on the names. */
export type RiverView = ReturnType<typeof riverView>
export type RiverBranch = RiverView['branches'][number]
export type RiverThing = RiverView['things'][number]
export type RiverMessage = RiverView['messages'][number]
export type RiverBins = RiverView['bins'][number]

const BRANCHES_MAX = 300
const RUNS_MAX = 100
const THINGS_MAX = 120
const MESSAGES_MAX = 300
/** Messages are listed in windows up to this length. */
const MESSAGES_SPAN_MS = 12 * 60 * MINUTE_MS

export function riverView(reader: Reader, look: RiverLook) {
  const { main, from, to } = look
  const level = levelFor(look)
  const lanes = [...allRows(reader, laneTable, { prefix: [lineKey(main, 'down')] })]
  const living = livingFrom(reader, main).flatMap((id) => flowOf(reader, id) ?? [])
  const up = branchesIn(reader, look, { side: 'up', lane: 0, max: BRANCHES_MAX, living })
  const down = lanes.map(({ lane }) =>
    branchesIn(reader, look, { side: 'down', lane, max: RUNS_MAX, living }),
  )
  const things = thingKinds.map((kind) => thingsIn(reader, look, kind))
  const branches = [up, ...down].flatMap(({ listed }) => listed)
  const dense = [up, ...down, ...things].flatMap(({ line, isDense, place }) => {
    if (!isDense) return []
    const bins = binsOf(reader, look, { line, level })
    return [{ ...place, bins: bins.map(({ at, count, first }) => ({ at, count, first })) }]
  })
  return {
    main,
    from,
    to,
    /** When main began. */
    since: reader.event(getBranch(reader, main).forkedAt).at,
    binMs: BIN_MS[level] ?? 0,
    jobs: lanes.map(({ lane, of }) => ({ lane, job: of ?? '' })),
    stem: stemOf(reader, look, level),
    branches,
    things: things.flatMap(({ listed }) => listed),
    bins: dense,
    messages: messagesOf(reader, look, branches),
  }
}

/** The finest bins of at least two pixels. */
function levelFor({ from, to, pixels }: RiverLook): number {
  const level = BIN_MS.findIndex((ms) => (to - from) / ms <= Math.max(32, pixels / 2))
  return level === -1 ? BIN_MS.length - 1 : level
}

/** Main's messages and the size of its context, by bin. The first bin may be older: it has the size before the window. */
function stemOf(reader: Reader, { main, from, to }: RiverLook, level: number) {
  const line = lineKey(main, 'main')
  const prefix = [`${line} ${level}`] as const
  const before = Math.floor(from / (BIN_MS[level] ?? 1)) - 1
  const [older] = reader.rows(binTable, { prefix, to: before, order: 'down', limit: 1 })
  const first = older === undefined ? from : older.bin * (BIN_MS[level] ?? 1)
  return binsOf(reader, { from: first, to }, { line, level })
}

function binsOf(
  reader: Reader,
  { from, to }: Pick<RiverLook, 'from' | 'to'>,
  { line, level }: { readonly line: string; readonly level: number },
) {
  const ms = BIN_MS[level] ?? 1
  const ends = { from: Math.floor(from / ms), to: Math.floor(to / ms) }
  const rows = reader.rows(binTable, { prefix: [`${line} ${level}`], ...ends, order: 'up', limit: BINS_MAX })
  return rows.map(({ bin, count, tokens, first }) => ({ at: bin * ms, count, tokens, first }))
}

const BINS_MAX = 5_000

interface Lane {
  readonly side: 'up' | 'down'
  readonly lane: number
  readonly max: number
  readonly living: readonly Flow[]
}

/** Branches on one lane of jobs, or on all lanes above. The longest are listed first; the rest are only counted. */
function branchesIn(reader: Reader, { main, from, to }: RiverLook, { side, lane, max, living }: Lane) {
  const line = lineKey(main, sideLine({ side, lane }))
  const found: RowOf<typeof stretchTable>[] = []
  let isDense = false
  for (let level = BIN_MS.length - 1; level >= 0 && !isDense; level--) {
    const first = level === BIN_MS.length - 1 ? 0 : from - (BIN_MS[level] ?? 0)
    const ends = keysOf({ from: Math.max(0, first), to })
    const limit = max - found.length + 1
    const rows = reader.rows(stretchTable, { prefix: [`${line} ${level}`], ...ends, order: 'up', limit })
    isDense = rows.length === limit
    if (!isDense) found.push(...rows.filter(({ until }) => until >= from))
  }
  const isHere = (flow: Flow): boolean => flow.side === side && (side === 'up' || flow.lane === lane)
  const now = living
    .filter(isHere)
    .slice(0, max)
    .flatMap((flow) => livingStretch(reader, flow, to))
  const listed = [...found, ...now].map((stretch) => branchView(reader, stretch, { side, main }))
  const place = { what: side === 'up' ? ('branch' as const) : ('run' as const), side, lane }
  return { place, line, isDense, listed }
}

type Stretch = Omit<RowOf<typeof stretchTable>, 'line' | 'until' | 'reason'> & {
  /** Null: it goes on. */
  readonly until: number | null
  readonly reason: RowOf<typeof stretchTable>['reason'] | 'running' | 'idle'
}

function livingStretch(reader: Reader, { branch, lane, since }: Flow, to: number): Stretch[] {
  if (since === null || timeOfKey(since) > to) return []
  const reason = getBranch(reader, branch).state.kind === 'running' ? 'running' : 'idle'
  const messages = lastMessage(reader, branch)?.ordinal ?? 0
  return [{ branch, lane, at: since, until: null, reason, messages, ...shownOf(reader, branch) }]
}

function branchView(reader: Reader, stretch: Stretch, { side, main }: Pick<Flow, 'side' | 'main'>) {
  const { branch: id, until, reason: end, lane, mode, title, parent, messages } = stretch
  const above = parent === main || parent === null ? undefined : flowOf(reader, parent)
  return {
    id,
    handle: handleOf(id),
    title,
    mode,
    side,
    lane,
    parent: parent === null ? null : { branch: parent, ...placeOf(above) },
    from: timeOfKey(stretch.at),
    until,
    end,
    messages,
  }
}

function placeOf(flow: Flow | undefined): Pick<Flow, 'side' | 'lane'> {
  return { side: flow?.side ?? 'main', lane: flow?.lane ?? 0 }
}

function thingsIn(reader: Reader, { main, from, to }: RiverLook, kind: ThingKind) {
  const line = lineKey(main, kind)
  const ends = keysOf({ from, to })
  const rows = reader.rows(thingTable, { prefix: [line], ...ends, order: 'up', limit: THINGS_MAX + 1 })
  const isDense = rows.length > THINGS_MAX
  const listed = isDense ? [] : rows.filter(isNamed).map((row) => thingView(reader, kind, row))
  return { place: { what: kind, side: 'main' as const, lane: 0 }, line, isDense, listed }
}

/** The page sets marks such as `at-412` to rewind to a message. */
function isNamed({ text }: RowOf<typeof thingTable>): boolean {
  return text === null || !/^at-\d+$/.test(text)
}

function thingView(reader: Reader, kind: ThingKind, row: RowOf<typeof thingTable>) {
  const { branch, position, text, sender, messages, since, is_undone } = row
  const isChange = kind === 'cut' || kind === 'compaction'
  return {
    kind,
    at: timeOfKey(row.at),
    position,
    branch,
    ...placeOf(flowOf(reader, branch)),
    text,
    isUndone: is_undone === 1,
    /** How many messages left the context, and when the stretch that was rewound began. */
    ...(isChange && { messages, canUndo: getBranch(reader, branch).version === position }),
    ...(since !== null && { since }),
    ...(sender !== null && { sender: { branch: sender, ...placeOf(flowOf(reader, sender)) } }),
  }
}

/** Every message, if the window is short and has few. */
function messagesOf(reader: Reader, look: RiverLook, branches: readonly { readonly id: BranchId }[]) {
  const { main, from, to } = look
  if (to - from > MESSAGES_SPAN_MS) return []
  const ends = { from: positionAt(reader, from), to: positionAt(reader, to + MINUTE_MS) }
  const places: { readonly branch: BranchId; readonly position: Position }[] = []
  for (const branch of new Set([main, ...branches.map(({ id }) => id)])) {
    const limit = MESSAGES_MAX - places.length + 1
    places.push(...reader.rows(messageTable, { prefix: [branch], ...ends, order: 'up', limit }))
    if (places.length > MESSAGES_MAX) return []
  }
  return places
    .map(({ position }) => reader.event(position) as EventOf<'message-added'>)
    .filter(({ at }) => at >= from && at <= to)
    .map(({ at, position, branch, turn, tokens, message }) => ({
      at,
      position,
      branch,
      ...placeOf(flowOf(reader, branch)),
      turn: turn === null ? null : (turnNumber(reader, turn) ?? null),
      tokens,
      role: message.role,
      text: shortened(message.text),
    }))
}

/** The first position of that minute, or of the next one that has any. */
function positionAt(reader: Reader, at: number): number {
  const from = Math.floor(at / MINUTE_MS)
  const [row] = reader.rows(clockTable, { prefix: [], from, order: 'up', limit: 1 })
  return row?.position ?? reader.end
}
