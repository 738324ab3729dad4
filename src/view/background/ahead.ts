import { nameOf } from '../../agent/state/jobs.ts'
import { ledgerOf } from '../../agent/state/ledger.ts'
import { budgetNow } from '../../agent/ping/budget-now.ts'
import { pauseOf } from '../../agent/state/jobs.ts'
import { hasToken, newBudget, nextRefillAt, refilled, type Budget } from '../../agent/state/ping-budget.ts'
import type { AgentSettings } from '../../agent/state/settings.ts'
import { isoIn } from '../../base/time-text.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { OWNER } from '../../event/speaker.ts'
import type { Reader } from '../../event/table.ts'
import type { JobShelf, LoadedJob } from '../../schedule/job-shelf.ts'
import { quietBetween } from '../../schedule/quiet-hours.ts'
import { hasFired, nextTimes, pausedIn } from '../jobs.ts'

export interface AheadLook {
  readonly shelf: Pick<JobShelf, 'jobs'>
  readonly now: number
  readonly settings: Pick<AgentSettings, 'zone' | 'quietHours' | 'pings'>
  readonly hours: number
}

const HOUR_MS = 3_600_000
const PAST_HOURS = 24
const JOBS_MAX = 200

/** The hours to come: what is due, when it is quiet, and how the ping budget refills; its past day as well. */
export function aheadView(reader: Reader, { shelf, now, settings, hours }: AheadLook) {
  const { zone, quietHours, pings } = settings
  const until = now + hours * HOUR_MS
  const iso = (at: number): string => isoIn(at, zone)
  const due = shelf
    .jobs()
    .flatMap((job) => dueWithin(reader, job, { now, zone, until }) ?? [])
    .toSorted((one, other) => (one.times[0] ?? 0) - (other.times[0] ?? 0))
  const budget = budgetNow(reader, OWNER, { now, settings })
  return {
    now: iso(now),
    until: iso(until),
    zone,
    paused: pausedIn(reader, null, { now, zone }),
    quiet: quietBetween(quietHours, zone, { from: now, to: until }).map(({ from, to }) => ({
      from: iso(from),
      to: iso(to),
    })),
    /** The next one first. */
    due: due.slice(0, JOBS_MAX).map((one) => ({ ...one, times: one.times.map(iso) })),
    /** Jobs that are due too, and too many to list. */
    left: Math.max(0, due.length - JOBS_MAX),
    criticalMax: pings.criticalMax,
    /** When each whole ping is back, in these hours. */
    refills: refillsOf(budget, until).map(iso),
    /** What was and will be available; between two points it refills evenly. */
    curve: [...pastCurve(reader, { now, settings }), ...refillCurve(budget, until)].map(
      ({ at, available }) => ({
        at: iso(at),
        available: Math.round(available * 1_000) / 1_000,
      }),
    ),
  }
}

const TIMES_MAX = 12
const TITLE_COLUMNS = 60

/** Undefined: the job is not due until then. */
function dueWithin(
  reader: Reader,
  { definition }: LoadedJob,
  { now, zone, until }: { readonly now: number; readonly zone: string; readonly until: number },
) {
  const { kind, id, description, body, background, allowPing } = definition
  const times = nextTimes(reader, definition, { now, zone, until, count: TIMES_MAX + 1 })
  if (times.length === 0 || hasFired(reader, definition, times[0])) return undefined
  return {
    kind,
    id,
    title: shorten(oneLine(description === '' ? body : description), TITLE_COLUMNS),
    background,
    /** It cannot ping. */
    silent: !allowPing,
    paused: pauseOf(reader, nameOf(definition), now) !== null,
    times: times.slice(0, TIMES_MAX),
    /** There are more times than are listed. */
    isOften: times.length > TIMES_MAX,
  }
}

function refillsOf(budget: Budget, until: number): number[] {
  const found: number[] = []
  for (let now = budget; ;) {
    const at = nextRefillAt(now)
    if (at === undefined || at > until) return found
    found.push(at)
    now = refilled(now, at)
  }
}

interface Point {
  readonly at: number
  readonly available: number
}

/** How the budget refills if nobody is pinged: up to its capacity, then level. */
function refillCurve(budget: Budget, until: number): Point[] {
  const { at, available, capacity, refillMinutes } = budget
  const fullAt = at + (capacity - available) * refillMinutes * 60_000
  const middle = fullAt > at && fullAt < until ? [{ at: fullAt, available: capacity }] : []
  return [{ at, available }, ...middle, { at: until, available: refilled(budget, until).available }]
}

const PINGS_MAX = 300

/** From the ledger: each decision has the budget as it was before it. */
function pastCurve(reader: Reader, { now, settings }: Pick<AheadLook, 'now' | 'settings'>): Point[] {
  const begin = now - PAST_HOURS * HOUR_MS
  const ledger = ledgerOf(reader, OWNER, { limit: PINGS_MAX }).toReversed()
  const first = ledger[0]?.decision.at ?? begin
  const points: Point[] = []
  let known = newBudget(settings.pings, { at: ledger.length < PINGS_MAX ? begin : first, day: '' })
  for (const { decision } of ledger) {
    const { at, budget, because, verdict } = decision
    if (budget === undefined || at > now) continue
    const { capacity, refillMinutes, available } = budget
    const before = { ...known, capacity, refillMinutes, available, at }
    if (at >= begin)
      points.push(...refillCurve(refilled(known, Math.max(begin, known.at)), at), { at, available })
    const takes = verdict === 'sent' && because === 'allowed' && hasToken(before)
    known = takes ? { ...before, available: Math.max(0, available - 1) } : before
    if (at >= begin && takes) points.push({ at, available: known.available })
  }
  return [...points, ...refillCurve(refilled(known, Math.max(begin, known.at)), now)]
}
