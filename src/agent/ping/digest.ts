import { timeText, type Place } from '../../base/time-text.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { counted } from '../../base/words.ts'
import { instantShowing, shownAt } from '../../base/zone-time.ts'
import type { BranchId } from '../../event/id.ts'
import { allRows, type Reader, type Writing } from '../../event/table.ts'
import { importedTo, newest } from '../state/newest.ts'
import { soonest, type Chore, type KeepLook } from './chore.ts'
import { ledgerOf } from '../state/ledger.ts'
import { hearerOf, type Hearer } from './notices.ts'
import { runAbove } from '../state/run.ts'
import { settingsFor } from '../state/settings.ts'
import { newestTable, updateTable } from '../state/tables.ts'
import { freeAt } from './ping-obstacle.ts'
import { sayUnasked } from '../state/outbox.ts'
import { reporterName, updateAt, type Update } from '../state/updates.ts'
import { OWNER } from '../../event/speaker.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const LINES_MAX = 20
/** Reports per read. */
const PAGE = 200
const PINGS_MAX = 1_000
const LINE_COLUMNS_MAX = 200

/** Sends people once a day what was reported to their main session and never pinged. */
export const digestChore: Chore = { dueAt, keep }

function dueAt(reader: Reader, look: KeepLook): number | undefined {
  if (look.passingSince !== null) return undefined
  return soonest(hearers(reader, look).map((hearer) => nextDigest(reader, hearer, look)?.due))
}

function keep(writing: Writing, look: KeepLook): readonly BranchId[] {
  for (const hearer of hearers(writing, look)) {
    const digest = nextDigest(writing, hearer, look)
    if (digest !== undefined && digest.due <= look.now) send(writing, hearer, { ...look, time: digest.time })
  }
  return []
}

/** One person per main session. */
function hearers(reader: Reader, look: KeepLook): Hearer[] {
  if (look.settings.digestAt === null) return []
  const stretch = { prefix: ['spoke'], order: 'up', limit: PEOPLE_MAX } as const
  const spoke = reader.rows(newestTable, stretch).map(({ about }) => about)
  const found = new Map<BranchId, Hearer>()
  for (const person of new Set([OWNER, ...spoke])) {
    const hearer = hearerOf(reader, person, look)
    if (hearer !== undefined && !found.has(hearer.main)) found.set(hearer.main, hearer)
  }
  return [...found.values()]
}

const PEOPLE_MAX = 1_000

/** The digest that is due and not empty, or else when the next one is. It covers reports up to `time`. */
function nextDigest(reader: Reader, hearer: Hearer, look: KeepLook) {
  const { now } = look
  const settings = settingsFor(look.settings, hearer.person)
  const { digestAt, zone } = settings
  if (digestAt === null) return undefined
  const last = newest(reader, 'digest', hearer.person)
  for (const days of [-1, 0, 1]) {
    const time = instantShowing((dayOf(now, zone) + days) * DAY_MS + digestAt * 60_000, zone)
    const isSent = last !== undefined && last.at >= time && last.at <= now + DAY_MS
    const held = freeAt(reader, time, settings)
    if (isSent || held === undefined) continue
    // A digest that could not be sent on its day is part of the next.
    if (held <= now && dayOf(held, zone) !== dayOf(now, zone)) continue
    const due = freeAt(reader, Math.max(held, now), settings)
    if (due === undefined) continue
    if (due > now || reportsUntil(reader, hearer, { time, now }).shown.length > 0) return { due, time }
  }
  return undefined
}

function dayOf(at: number, zone: string): number {
  return Math.floor(shownAt(at, zone) / DAY_MS)
}

/** Reports since the last digest, or of one day, that were not pinged; `upTo` is the last one looked at. */
function reportsUntil(
  reader: Reader,
  { person, main }: Hearer,
  { time, now }: { readonly time: number; readonly now: number },
) {
  const last = newest(reader, 'digest', person)
  const since = last?.at ?? time - DAY_MS
  // Reports of an import are not news of this home.
  const after = Math.max(last?.upTo ?? reportedUntil(reader, main, since), importedTo(reader))
  const until: Update[] = []
  for (const { position } of allRows(reader, updateTable, { prefix: [main], from: after + 1 })) {
    const update = updateAt(reader, position)
    // Later reports are for the next digest. After the clock was set back, there are reports with future times.
    if (update.at > time && update.at <= now) break
    until.push(update)
  }
  if (until.length === 0) return { shown: [], upTo: undefined, since }
  const isNew = (update: Update): boolean => last !== undefined || update.at > since
  const wasPinged = pingedBy(reader, person)
  const shown = until.filter((update) => isNew(update) && isFromRun(reader, update) && !wasPinged(update))
  return { shown, upTo: until.at(-1)?.position, since }
}

/** A report before `since`, at most a page before the first newer one. Found without reading all reports. */
function reportedUntil(reader: Reader, main: BranchId, since: number): number {
  for (let to = Number.MAX_SAFE_INTEGER; ;) {
    const rows = reader.rows(updateTable, { prefix: [main], to, order: 'down', limit: PAGE })
    const oldest = rows.at(-1)?.position
    if (oldest === undefined || rows.length < PAGE) return 0
    if (updateAt(reader, oldest).at <= since) return oldest
    to = oldest - 1
  }
}

/** A person knows what their own fork reported. */
function isFromRun(reader: Reader, { from }: Update): boolean {
  return from === null || runAbove(reader, from) !== undefined
}

/** Whether the run that reported also pinged, and the ping arrived. */
function pingedBy(reader: Reader, person: string): (update: Update) => boolean {
  const pings = ledgerOf(reader, person, { limit: PINGS_MAX })
    .filter(({ state }) => state === 'sent' || state === 'arrived')
    .map(({ decision }) => decision)
  return ({ from, at }) => {
    const run = from === null ? undefined : runAbove(reader, from)
    if (run === undefined) return false
    // The next firing may continue in the same branch, and has its own reports.
    return pings.some((ping) => ping.run === run.branch && Math.abs(ping.at - at) <= run.timeoutMs)
  }
}

function send(writing: Writing, hearer: Hearer, look: KeepLook & { readonly time: number }): void {
  const { main: branch, to, person } = hearer
  const { now } = look
  const { zone } = settingsFor(look.settings, person)
  const { shown, upTo, since } = reportsUntil(writing, hearer, look)
  if (shown.length === 0 || upTo === undefined) return
  const when = { now, zone }
  const omitted = Math.max(0, shown.length - LINES_MAX)
  const text = [
    `Daily digest: ${counted(shown.length, 'report')} since ${timeText(since, when)}.`,
    ...(omitted === 0 ? [] : [`${omitted} earlier, left out here: /updates all shows them.`]),
    ...shown.slice(omitted).map((update) => lineOf(update, when)),
  ].join('\n')
  const delivery = sayUnasked(writing, { branch, at: now, to, notice: 'digest', text, cause: upTo })
  writing.append({ kind: 'digest-sent', branch, at: now, person, upTo, delivery })
}

function lineOf(update: Update, when: Place): string {
  const line = `${timeText(update.at, when)} ${reporterName(update)}: ${oneLine(update.text)}`
  return shorten(line, LINE_COLUMNS_MAX)
}
