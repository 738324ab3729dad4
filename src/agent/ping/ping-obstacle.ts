import { clockIn } from '../../base/time-text.ts'
import { getBranch } from '../../context/branch.ts'
import { livingFrom } from '../../context/living.ts'
import type { BranchId } from '../../event/id.ts'
import type { PingReason } from '../../event/run.ts'
import type { Reader } from '../../event/table.ts'
import { quietUntil } from '../../schedule/quiet-hours.ts'
import { budgetNow } from './budget-now.ts'
import { isForPeople } from '../state/asker.ts'
import { pauseOf } from '../state/jobs.ts'
import { newest } from '../state/newest.ts'
import { mainOrSelf } from '../state/person.ts'
import { pingAt, pingsOfJob } from '../state/ledger.ts'
import { isByHand, type Run } from '../state/run.ts'
import type { PingAccount } from './ping-account.ts'
import { daysBetween, hasToken, nextRefillAt } from '../state/ping-budget.ts'
import { settingsFor, type AgentSettings } from '../state/settings.ts'

/** Why a ping cannot be sent now, and until when. Null: not known. */
export interface Obstacle {
  readonly because: Extract<PingReason, 'paused' | 'less' | 'quiet-hours' | 'busy' | 'budget'>
  readonly until: number | null
}

export interface ObstacleLook {
  readonly now: number
  readonly settings: AgentSettings
  /** The branch that asks: its own turn does not make the person busy. */
  readonly except?: BranchId
}

/** A pause is the person's decision, so it also holds critical pings. */
export function pauseNow(reader: Reader, now: number): Obstacle | undefined {
  const pause = pauseOf(reader, null, now)
  return pause === null ? undefined : { because: 'paused', until: pause.until }
}

/** The first obstacle to a ping that is not critical, in the order in which they count. */
export function obstacleFor(reader: Reader, account: PingAccount, look: ObstacleLook): Obstacle | undefined {
  const { now } = look
  const settings = settingsFor(look.settings, account.person)
  const own = { ...look, settings }
  if (isLess(reader, account, own)) return { because: 'less', until: null }
  const quiet = quietUntil(settings.quietHours, settings.zone, now)
  if (quiet !== null) return { because: 'quiet-hours', until: quiet }
  if (isTurnRunning(reader, account.main, look.except)) return { because: 'busy', until: null }
  const { run } = account
  const free = quietFrom(reader, account.main, { now, busyMs: settings.pings.busyMs, run })
  if (free !== undefined) return { because: 'busy', until: free }
  const budget = budgetNow(reader, account.person, own)
  return hasToken(budget) ? undefined : { because: 'budget', until: nextRefillAt(budget) ?? null }
}

/** Days between two pings of a job after the person asked for less of it once, twice or more often. */
const LESS_DAYS = [1, 7, 30] as const

export function lessDays(less: number): number {
  return LESS_DAYS[Math.min(less, LESS_DAYS.length) - 1] ?? 0
}

function isLess(reader: Reader, { job }: PingAccount, { now, settings }: ObstacleLook): boolean {
  const pings = job && pingsOfJob(reader, job)
  if (pings === undefined || pings.less === 0 || pings.last === null) return false
  const [then, today] = [pingAt(reader, pings.last).at, now].map((at) => clockIn(at, settings.zone).date)
  const days = daysBetween(then ?? '', today ?? '')
  // Calendar days, so that a daily job at eight is not refused for being a second early. A clock that was ahead must not
  // silence a job until that date.
  return days < lessDays(pings.less) && days >= -1
}

/** A person is busy while a turn runs where they talk, and for a while after they wrote. */
export interface BusyQuestion {
  readonly now: number
  /** How long somebody is busy after they wrote. */
  readonly busyMs: number
  readonly run?: Run | undefined
}

export function isBusy(reader: Reader, main: BranchId, question: BusyQuestion): boolean {
  return isTurnRunning(reader, main) || quietFrom(reader, main, question) !== undefined
}

/** When the person stops being busy after their last message. Undefined: they are not. */
function quietFrom(reader: Reader, main: BranchId, { now, busyMs, run }: BusyQuestion): number | undefined {
  const { at: heardAt, position = 0 } = newest(reader, 'wrote', mainOrSelf(reader, main)) ?? {}
  // Who starts a run by hand waits for it; what they wrote before that does not make them busy.
  if (run !== undefined && isByHand(run) && position < run.position) return undefined
  // If the clock was ahead when they wrote, they would stay busy until that time.
  if (heardAt === undefined || heardAt > now || heardAt + busyMs <= now) return undefined
  return heardAt + busyMs
}

/** Whether a turn runs in the main session, or in an open fork where the person talks. */
function isTurnRunning(reader: Reader, main: BranchId, except?: BranchId): boolean {
  return livingFrom(reader, main).some((id) => {
    const branch = getBranch(reader, id)
    return id !== except && isForPeople(branch) && branch.state.kind === 'running'
  })
}

/** A pause may end in quiet hours, and these in another pause. They don't alternate more often than this. */
const TURNS_MAX = 4

/** When the host may write unasked, at `from` or later. Undefined: only after somebody resumes jobs. */
export function freeAt(
  reader: Reader,
  from: number,
  { quietHours, zone }: Pick<AgentSettings, 'quietHours' | 'zone'>,
): number | undefined {
  let at = from
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    const pause = pauseOf(reader, null, at)
    if (pause !== null && pause.until === null) return undefined
    const next = pause?.until ?? quietUntil(quietHours, zone, at)
    if (next === null) return at
    at = next
  }
  return at
}
