import { whenText } from '../../base/time-text.ts'
import { ageText, counted } from '../../base/words.ts'
import { getBranch } from '../../context/branch.ts'
import { jobText } from '../../event/job.ts'
import type { PingReason } from '../../event/run.ts'
import type { Reader } from '../../event/table.ts'
import { isForPeople } from '../state/asker.ts'
import { pingsOfJob } from '../state/ledger.ts'
import type { PingAccount } from './ping-account.ts'
import { lessDays } from './ping-obstacle.ts'
import type { AgentSettings } from '../state/settings.ts'

/** What a model is told about its ping, and what it can do instead. */

export interface Undone {
  readonly because: PingReason
  /** Until when the obstacle lasts. Null: not known. */
  readonly until: number | null
  readonly now: number
  readonly settings: AgentSettings
}

const CRITICAL = 'critical: true is for what they would be devastated to miss.'

export function whyNot(reader: Reader, account: PingAccount, undone: Undone): string {
  const { because, until, now, settings } = undone
  const other = instead(reader, account)
  const end = until === null ? '' : whenText(until, { now, zone: settings.zone })
  switch (because) {
    case 'one-per-run':
      return `Not sent: this run has already written to the person, and a run may do that once. ${other} ${CRITICAL}`
    case 'one-per-work':
      return `Not sent: you have already written to the person in this work, and that is allowed once. ${other} ${CRITICAL}`
    case 'nobody':
      return `Not sent: no person has ever written here, so there is nobody to write to. ${other}`
    case 'paused':
      return `Not sent: the person has paused all jobs and pings${end === '' ? '' : `, until ${end}`}. ${other}`
    case 'less':
      return `Not sent: the person wants less of this: ${mostOf(reader, account)}. ${other} ${CRITICAL}`
    case 'quiet-hours':
      return `Not sent: the person has quiet hours, until ${end}. ${other} ${CRITICAL}`
    case 'busy':
      return `Not sent: the person is busy right now. ${other} Or give when_free: true, and it is sent when they are free.`
    case 'budget':
      return `Not sent: the ping budget is used up${end === '' ? '' : `; the next one is available ${end}`}. ${other} ${CRITICAL}`
    default:
      return `Not sent: this ${account.run === undefined ? 'job' : 'run'} may not write to the person. ${other}`
  }
}

/** Suggests only what this branch can do: a run that may not report is not told about reporting. */
function instead(reader: Reader, { branch, run }: PingAccount): string {
  const isRun = run?.branch === branch
  if (isRun && run.reporting !== 'blocked') return 'Use report_updates for it instead.'
  if (isRun) return 'Leave it in your answer instead.'
  return isForPeople(getBranch(reader, branch))
    ? 'Say it in your answer instead.'
    : 'Put it into your answer instead.'
}

function mostOf(reader: Reader, { job }: PingAccount): string {
  const days = lessDays(job === undefined ? 0 : (pingsOfJob(reader, job)?.less ?? 0))
  const name = job === undefined ? 'this job' : jobText(job)
  return `one ping of ${name} ${days === 1 ? 'a day' : `in ${days} days`} at most, and there was one`
}

export function sentWords(account: PingAccount): string {
  return `Sent.${afterwards(account)}`
}

export function heldWords(
  account: PingAccount,
  { because, settings }: Pick<Undone, 'because' | 'settings'>,
): string {
  const { criticalMax, ttlMs } = settings.pings
  const what =
    because === 'critical-cap'
      ? `Held for a minute: more than ${counted(criticalMax, 'critical message')} today, so what comes now is sent together.`
      : `Held: the person is busy. It is sent when they are free; after ${ageText(ttlMs)} it is told to main instead.`
  return `${what}${afterwards(account)}`
}

/** Only the run itself reports, not its children. */
function afterwards({ branch, run }: PingAccount): string {
  const owes = run?.reporting === 'on_ping' || run?.reporting === 'always'
  return owes && run.branch === branch ? ' Report it with report_updates before you end.' : ''
}
