import { clockText } from '../config/type/domain-type.ts'
import { senderName } from '../agent/branch/reply-act.ts'
import { budgetNow } from '../agent/ping/budget-now.ts'
import { lessDays } from '../agent/ping/ping-obstacle.ts'
import {
  jobOfPing,
  ledgerOf,
  openList,
  personPinged,
  pingAt,
  pingsOfJob,
  type JobPings,
  type LedgerEntry,
} from '../agent/state/ledger.ts'
import { newBudget, nextRefillAt } from '../agent/state/ping-budget.ts'
import { runIn } from '../agent/state/run.ts'
import type { AgentSettings } from '../agent/state/settings.ts'
import { pingJobTable, replyForkTable } from '../agent/state/tables.ts'
import { clockIn, isoIn } from '../base/time-text.ts'
import { handleOf, type Position } from '../event/id.ts'
import { jobKinds, jobText } from '../event/job.ts'
import type { PingReason } from '../event/run.ts'
import { allRows, type Reader } from '../event/table.ts'
import { quietUntil } from '../schedule/quiet-hours.ts'
import { pausedIn } from './jobs.ts'
import type { Page } from './page.ts'

export interface PingsLook {
  readonly person: string
  readonly now: number
  readonly settings: Pick<AgentSettings, 'pings' | 'zone' | 'quietHours'>
}

/** What is left of a person's pings, and what holds them back now. Programs rely on the names and their order. */
export function budgetView(reader: Reader, look: PingsLook) {
  const { person, now } = look
  const { zone, quietHours } = look.settings
  const { at, day, ...budget } = budgetNow(reader, person, look)
  const isoOrNull = (time: number | null | undefined) => (time == null ? null : isoIn(time, zone))
  const open = openList(reader, 'pings')
    .map((position) => pingAt(reader, position))
    .filter((ping) => personPinged(reader, ping) === person)
  const held = open.filter(({ verdict }) => verdict === 'held').length
  return {
    capacity: budget.capacity,
    available: budget.available,
    refill_rate_minutes: budget.refillMinutes,
    last_refill: isoIn(at, zone).replace(/\.\d+/, ''),
    critical_used: budget.critical,
    critical_reset_date: day,
    daily_used: budget.used,
    daily_used_reset: day,
    next_refill: isoOrNull(nextRefillAt({ at, day, ...budget })),
    quiet_hours: quietHours && `${clockText(quietHours.from)}-${clockText(quietHours.to)}`,
    quiet_until: quietHours && isoOrNull(quietUntil(quietHours, zone, now)),
    paused: pausedIn(reader, null, { now, zone }),
    on_the_way: open.length - held,
    held,
  }
}

const SHOWN_MAX = 20
const LOOKED_MAX = 200
/** Bounds the work for a page: a filter may fit one ping in thousands. */
const SCANNED_MAX = 500

export type PingView = ReturnType<typeof pingView>

export interface PingsFilter extends Page {
  readonly decision?: 'sent' | 'held' | 'refused' | undefined
  readonly because?: string | undefined
  /** `routine inbox`, or the branch that it is from */
  readonly who?: string | undefined
}

/** The last pings and refusals, the newest first. */
export function pingsView(reader: Reader, look: PingsLook): PingView[] {
  return pingsPage(reader, look, { limit: SHOWN_MAX }).pings
}

/**
 * A page of the ledger, newest first. It may have fewer pings than its limit, or none, though more fit further back.
 * Held pings that were decided again are shown with the later decision.
 */
export function pingsPage(reader: Reader, { person, settings }: PingsLook, filter: PingsFilter) {
  const { before, limit } = filter
  const rows = ledgerOf(reader, person, { limit: SCANNED_MAX, before })
  const oldest = rows.length < SCANNED_MAX ? rows.at(-1) : undefined
  const pings: PingView[] = []
  let last: LedgerEntry | undefined
  for (const entry of rows) {
    if (pings.length === limit) break
    last = entry
    if (entry.state !== 'released' && fits(reader, entry, filter))
      pings.push(pingView(reader, entry, settings))
  }
  return { pings, next: last === oldest ? null : (last?.position ?? null) }
}

function fits(reader: Reader, entry: LedgerEntry, { decision, because, who }: PingsFilter): boolean {
  const { verdict, of, because: why } = entry.decision
  const was = of === undefined ? verdict : 'held'
  const isDecided = decision === undefined || decision === was || decision === verdict
  const isBecause = because === undefined || because === why || because === heldFor(reader, entry)?.because
  return isDecided && isBecause && (who === undefined || who === whoPinged(reader, entry))
}

/** The first decision about a ping that was held. */
function heldFor(reader: Reader, { decision: { of } }: LedgerEntry) {
  return of === undefined ? undefined : pingAt(reader, of)
}

function pingView(reader: Reader, entry: LedgerEntry, settings: PingsLook['settings']) {
  const { zone } = settings
  const { decision, state, answer } = entry
  const held = heldFor(reader, entry)
  const { position, at, text, verdict, because, isCritical } = decision
  const job = jobOfPing(reader, decision)
  return {
    ts: isoIn(at, zone),
    position,
    job: job === undefined ? null : jobText(job),
    from: handleOf(decision.branch),
    text,
    critical: isCritical,
    verdict,
    because,
    reason: REASONS[because],
    state,
    answer: answer ?? (isReplied(reader, entry) ? ('replied' as const) : null),
    answers: answersTo(reader, entry),
    /** The job, or the branch where it was written. */
    who: whoPinged(reader, entry),
    after: afterWhat(reader, entry),
    /** When and why it was held before, if it was. */
    held: held === undefined ? null : { ts: isoIn(held.at, zone), reason: REASONS[held.because] },
    note: noteOf(reader, entry, settings),
  }
}

/** The commands that answer it, each said in reply to its message; null: it did not arrive, or is answered. */
function answersTo(reader: Reader, { delivery, state, answer }: LedgerEntry) {
  if (state !== 'arrived' || answer !== null || delivery === null) return null
  const message = reader.event(delivery)
  const { choices = [] } = message.kind === 'delivery-intended' ? message : {}
  const commands = choices.filter(({ command }) => command.startsWith('/'))
  return commands.length === 0 ? null : { delivery, choices: commands }
}

/** What else explains the decision; null: nothing. */
function noteOf(reader: Reader, { decision, state }: LedgerEntry, settings: PingsLook['settings']) {
  const { at, because, budget, verdict, run, position } = decision
  const { zone, quietHours } = settings
  const notes: string[] = []
  if (because === 'allowed' && budget !== undefined)
    notes.push(`${leftWords(budget.available)} left before, ${leftWords(budget.available - 1)} after`)
  if (because === 'budget' && budget !== undefined) {
    const next = nextRefillAt({ ...newBudget(budget, { at, day: '' }), available: budget.available })
    notes.push(`${leftWords(budget.available)} left, the next at ${clockIn(next ?? at, zone).time}`)
  }
  if (because === 'critical') notes.push('outside the budget')
  const quiet = because === 'quiet-hours' ? quietUntil(quietHours, zone, at) : null
  if (quiet !== null) notes.push(`until ${clockIn(quiet, zone).time}`)
  const job = because === 'less' ? jobOfPing(reader, decision) : undefined
  const less = job && pingsOfJob(reader, job)?.less
  if (less !== undefined && less > 0) notes.push(paceText(less))
  const reported = verdict === 'refused' && run !== null ? (runIn(reader, run)?.reported ?? 0) : 0
  if (reported > position) notes.push('told to main instead')
  if (state === 'failed' || state === 'expired') notes.push('not delivered, so it became an update')
  return notes.length === 0 ? null : notes.join(' · ')
}

/** `3.1`; `5` if it is whole. */
function leftWords(tokens: number): string {
  return String(Math.max(0, Math.floor(tokens * 10 + 1e-6) / 10))
}

/** How often a job may ping after /less was said so many times. */
export function paceText(less: number): string {
  const days = lessDays(Math.max(1, less))
  return `at most one ping ${days === 1 ? 'a day' : days === 7 ? 'a week' : `in ${days} days`}`
}

function whoPinged(reader: Reader, { decision }: LedgerEntry): string {
  const job = jobOfPing(reader, decision)
  return job === undefined ? senderName(reader, decision.branch) : jobText(job)
}

/** Whether it was held before, or snoozed. A ping that was asked for in a turn has no number. */
function afterWhat(reader: Reader, { decision }: LedgerEntry): 'hold' | 'snooze' | null {
  const { of, because, delivery } = decision
  if (of !== undefined) return 'hold'
  const message = because === 'asked' && delivery !== null ? reader.event(delivery) : undefined
  const isNumbered = message?.kind === 'delivery-intended' && message.number !== undefined
  return isNumbered ? 'snooze' : null
}

const REASONS: Readonly<Record<PingReason, string>> = {
  allowed: 'within the budget',
  critical: 'critical',
  asked: 'asked for',
  'not-allowed': 'it may not ping',
  nobody: 'nobody to write to',
  paused: 'paused',
  'one-per-run': 'its run had pinged before',
  'one-per-work': 'the same work had pinged before',
  less: 'you asked for less of it',
  'quiet-hours': 'quiet hours',
  busy: 'you were busy',
  budget: 'the budget was used up',
  'critical-cap': 'too many critical ones that day, so they come as one',
}

/** A reply in words opens a fork. */
function isReplied(reader: Reader, { decision }: LedgerEntry): boolean {
  return reader.row(replyForkTable, [decision.branch]) !== undefined
}

export type JobRecord = ReturnType<typeof jobsOf>[number]

/** Jobs whose last ping went to this person, with how their pings fare and that ping. */
export function jobsOf(reader: Reader, person: string) {
  const rows = jobKinds.flatMap((what) => [...allRows(reader, pingJobTable, { prefix: [what] })])
  return rows.flatMap((one) => {
    const ping = one.last ?? newestOf(reader, person, one)
    return ping !== undefined && personPinged(reader, pingAt(reader, ping)) === person
      ? [{ ...one, ping }]
      : []
  })
}

/** For a job whose last ping is not known any more. */
function newestOf(reader: Reader, person: string, job: JobPings): Position | undefined {
  const name = jobText(job)
  return ledgerOf(reader, person, { limit: LOOKED_MAX }).find((entry) => whoPinged(reader, entry) === name)
    ?.decision.position
}

const IGNORED_MIN = 3
/** Only a ping that is this old counts as ignored. */
const IGNORED_MS = 24 * 60 * 60 * 1000

export function ignoredJobs(reader: Reader, { person, now }: PingsLook) {
  const replied = new Set(
    ledgerOf(reader, person, { limit: LOOKED_MAX })
      .filter((entry) => isReplied(reader, entry))
      .map((entry) => whoPinged(reader, entry)),
  )
  return jobsOf(reader, person).filter(
    (one) =>
      one.arrived >= IGNORED_MIN &&
      one.answered === 0 &&
      !replied.has(jobText(one)) &&
      now - pingAt(reader, one.ping).at >= IGNORED_MS,
  )
}
