import { clockIn } from '../../base/time-text.ts'
import type { BranchId } from '../../event/id.ts'
import type { PingReason } from '../../event/run.ts'
import type { Reader } from '../../event/table.ts'
import { quietUntil } from '../../schedule/quiet-hours.ts'
import { budgetNow } from './budget-now.ts'
import { isTurnRunning, quietFrom } from './busy.ts'
import { pauseOf } from '../state/jobs.ts'
import { pingAt, pingsOfJob } from '../state/ledger.ts'
import type { PingAccount } from './ping-account.ts'
import { daysBetween, hasToken, nextRefillAt } from '../state/ping-budget.ts'
import type { AgentSettings } from '../state/settings.ts'

/** Why a ping cannot be sent now, and when that is over; null: nobody knows. */
export interface Obstacle {
  readonly because: Extract<PingReason, 'paused' | 'less' | 'quiet-hours' | 'busy' | 'budget'>
  readonly until: number | null
}

export interface ObstacleLook {
  readonly now: number
  readonly settings: AgentSettings
  /** The turn of this branch does not make the person busy: it is the one that asks. */
  readonly except?: BranchId
}

/** A pause is the person's word: it holds for what is critical too. */
export function pauseNow(reader: Reader, now: number): Obstacle | undefined {
  const pause = pauseOf(reader, null, now)
  return pause === null ? undefined : { because: 'paused', until: pause.until }
}

/** What is in the way of a ping that is not critical: the first of these, in this order. */
export function obstacleFor(reader: Reader, account: PingAccount, look: ObstacleLook): Obstacle | undefined {
  const { now, settings } = look
  if (isLess(reader, account, look)) return { because: 'less', until: null }
  const quiet = quietUntil(settings.quietHours, settings.zone, now)
  if (quiet !== null) return { because: 'quiet-hours', until: quiet }
  if (isTurnRunning(reader, account.main, look.except)) return { because: 'busy', until: null }
  const free = quietFrom(reader, account.main, { now, busyMs: settings.pings.busyMs })
  if (free !== undefined) return { because: 'busy', until: free }
  const budget = budgetNow(reader, account.person, look)
  return hasToken(budget) ? undefined : { because: 'budget', until: nextRefillAt(budget) ?? null }
}

/** So many days lie at least between two pings of a job of which the person wanted less, by how often they said so. */
const LESS_DAYS = [1, 7, 30] as const

export function lessDays(less: number): number {
  return LESS_DAYS[Math.min(less, LESS_DAYS.length) - 1] ?? 0
}

function isLess(reader: Reader, { job }: PingAccount, { now, settings }: ObstacleLook): boolean {
  const pings = job && pingsOfJob(reader, job)
  if (pings === undefined || pings.less === 0 || pings.last === null) return false
  const [then, today] = [pingAt(reader, pings.last).at, now].map((at) => clockIn(at, settings.zone).date)
  const days = daysBetween(then ?? '', today ?? '')
  // By the days of the calendar: what is due each day at eight is not due a second too early. A clock that was ahead
  // does not silence a job for as long as that.
  return days < lessDays(pings.less) && days >= -1
}
