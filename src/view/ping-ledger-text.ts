import { momentText } from '../base/time-text.ts'
import { senderName } from '../agent/branch/reply-act.ts'
import {
  jobOfPing,
  ledgerOf,
  personPinged,
  pingAt,
  type JobPings,
  type LedgerEntry,
} from '../agent/state/ledger.ts'
import { lessDays } from '../agent/ping/ping-obstacle.ts'
import { pingJobTable, replyForkTable } from '../agent/state/tables.ts'
import { oneLine, shorten } from '../base/width.ts'
import type { Position } from '../event/id.ts'
import { jobKinds, jobText, type JobName } from '../event/job.ts'
import type { PingReason } from '../event/run.ts'
import type { Reader } from '../event/table.ts'
import type { PingsLook } from './ping-budget-text.ts'

const SHOWN_MAX = 20
/** Of these, what was held and decided again is told with the later decision. */
const LOOKED_MAX = 200
const WORDS_MAX = 60

/** The last pings and refusals, the newest first, and how the pings of each job fare. */
export function pingLedgerText(reader: Reader, { person, now, settings: { zone } }: PingsLook): string {
  const lines = lastPings(reader, person).map((entry) => {
    const { at, text } = entry.decision
    const words = shorten(oneLine(text), WORDS_MAX)
    return `- ${momentText(at, zone)} ${whoPinged(reader, entry)}: "${words}" → ${lowered(fateText(reader, entry))}`
  })
  const heading =
    lines.length === 0 ? 'No ping was sent or refused yet.' : 'The last pings and refusals, the newest first:'
  return [heading, ...lines, ...jobLines(reader, person, now)].join('\n')
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

export function lastPings(reader: Reader, person: string): LedgerEntry[] {
  return ledgerOf(reader, person, LOOKED_MAX)
    .filter(({ state }) => state !== 'released')
    .slice(0, SHOWN_MAX)
}

/** `routine brief`, or the branch where it was written. */
export function whoPinged(reader: Reader, { decision }: Pick<LedgerEntry, 'decision'>): string {
  const job = jobOfPing(reader, decision)
  return job === undefined ? senderName(reader, decision.branch) : jobText(job)
}

/** `Sent, within the budget; arrived; done.` */
export function fateText(reader: Reader, entry: LedgerEntry): string {
  const { state, decision, answer } = entry
  const reason = REASONS[decision.because]
  if (state === 'refused') return `Refused: ${reason}.`
  if (state === 'held') return `Held: ${reason}.`
  const begin = decision.verdict === 'held' ? 'Held' : `Sent${afterWhat(reader, entry)}`
  const said = answer ?? (isReplied(reader, entry) ? 'replied' : undefined)
  return `${[`${begin}, ${reason}`, STATES[state], ...(said === undefined ? [] : [SAID[said]])].join('; ')}.`
}

/** It was held, or the person put it off: what they asked for in a turn has no number. */
function afterWhat(reader: Reader, { decision: { of, because, delivery } }: LedgerEntry): string {
  if (of !== undefined) return ' after it was held'
  const message = because === 'asked' && delivery !== null ? reader.event(delivery) : undefined
  const isNumbered = message?.kind === 'delivery-intended' && message.number !== undefined
  return isNumbered ? ' again after a snooze' : ''
}

/** In the same words for the person and for whoever looks for them. */
export const REASONS: Readonly<Record<PingReason, string>> = {
  allowed: 'within the budget',
  critical: 'critical',
  asked: 'asked for',
  'not-allowed': 'it may not ping',
  nobody: 'nobody to write to',
  paused: 'paused',
  'one-per-run': 'its run had pinged before',
  'one-per-work': 'the same work had pinged before',
  less: 'less of it was asked for',
  'quiet-hours': 'quiet hours',
  busy: 'busy at that moment',
  budget: 'the budget was used up',
  'critical-cap': 'too many critical ones that day, so they come as one',
}

const STATES: Readonly<Record<Exclude<LedgerEntry['state'], 'refused' | 'held'>, string>> = {
  sent: 'on its way',
  arrived: 'arrived',
  released: 'decided again since',
  failed: 'could not be delivered, so it became an update',
  expired: 'not delivered in time, so it became an update',
}

const SAID = {
  done: 'answered: done',
  snoozed: 'answered: snooze',
  less: 'answered: less of this',
  replied: 'replied to',
} as const

/** With words: that opened a fork. */
export function isReplied(reader: Reader, { decision }: Pick<LedgerEntry, 'decision'>): boolean {
  return reader.row(replyForkTable, [decision.branch]) !== undefined
}

const IGNORED_MIN = 3
/** Who does not react within minutes ignores nothing. */
const IGNORED_MS = 24 * 60 * 60 * 1000

function jobLines(reader: Reader, person: string, now: number): string[] {
  const jobs = jobsOf(reader, person)
  const replied = new Set(
    ledgerOf(reader, person, LOOKED_MAX)
      .filter((entry) => isReplied(reader, entry))
      .map((entry) => whoPinged(reader, entry)),
  )
  const ignored = jobs.filter(
    (one) =>
      one.arrived >= IGNORED_MIN &&
      one.answered === 0 &&
      !replied.has(jobText(one)) &&
      now - pingAt(reader, one.ping).at >= IGNORED_MS,
  )
  const names = ignored.map((one) => `${jobText(one)} (${one.arrived} arrived, none was answered)`)
  const lessOf = jobs.filter(({ less }) => less > 0)
  return [
    ...(names.length === 0 ? [] : [`Ignored: ${names.join(', ')}.`]),
    ...lessOf.map((one) => lessText(one, shortName(one, jobs))),
  ]
}

/** How the pings of a job fare, and one of them. */
export interface JobRecord extends JobPings {
  readonly ping: Position
}

/** Jobs that pinged this person last. */
export function jobsOf(reader: Reader, person: string): JobRecord[] {
  const rows = jobKinds.flatMap((what) => {
    const stretch = { prefix: [what], order: 'up', limit: Number.MAX_SAFE_INTEGER } as const
    return reader.rows(pingJobTable, stretch)
  })
  return rows.flatMap((one) => {
    const ping = one.last ?? newestOf(reader, person, one)
    return ping !== undefined && personPinged(reader, pingAt(reader, ping)) === person
      ? [{ ...one, ping }]
      : []
  })
}

/** The last one of a job may have been lost. */
function newestOf(reader: Reader, person: string, job: JobPings): Position | undefined {
  const name = jobText(job)
  return ledgerOf(reader, person, LOOKED_MAX).find((entry) => whoPinged(reader, entry) === name)?.decision
    .position
}

/** Its id, where no job of another kind has the same. */
export function shortName(one: JobName, jobs: readonly JobName[]): string {
  const isAlone = jobs.every(({ what, job }) => job !== one.job || what === one.what)
  return isAlone ? one.job : jobText(one)
}

function lessText(one: JobPings, name: string): string {
  return `Less was asked of ${jobText(one)}: ${paceText(one.less)}. /ping-budget more ${name} takes it back.`
}

/** How often a job may ping after less was asked for so many times. */
export function paceText(less: number): string {
  const days = lessDays(Math.max(1, less))
  return `at most one ping ${days === 1 ? 'a day' : days === 7 ? 'a week' : `in ${days} days`}`
}
