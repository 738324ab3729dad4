import { wholeTokens, type Budget } from '../agent/state/ping-budget.ts'
import { momentText, whenText } from '../base/time-text.ts'
import { oneLine, shorten } from '../base/width.ts'
import { counted } from '../base/words.ts'
import { jobText, type JobName } from '../event/job.ts'
import { OWNER } from '../event/speaker.ts'
import type { Reader } from '../event/table.ts'
import {
  budgetView,
  ignoredJobs,
  jobsOf,
  paceText,
  pingsView,
  type PingsLook,
  type PingView,
} from './pings.ts'

/** Where to read more. */
export const WHY = 'why lists the last pings and refusals, with their reasons.'

/** What is left of a person's pings, and what holds them back now. */
export function pingBudgetText(reader: Reader, look: PingsLook): string {
  const { person, now, settings } = look
  const view = budgetView(reader, look)
  const whose = person === OWNER ? '' : ` of ${person}`
  const at = (iso: string): string => whenText(Date.parse(iso), { now, zone: settings.zone })
  const next = view.next_refill === null ? 'it is full' : `the next ${at(view.next_refill)}`
  const quiet = view.quiet_until === null ? '' : `; quiet now, until ${at(view.quiet_until)}`
  const until = typeof view.paused === 'string' ? ` until ${at(view.paused)}` : ''
  const open = [
    ...(view.on_the_way === 0 ? [] : [`${counted(view.on_the_way, 'ping')} on the way`]),
    ...(view.held === 0 ? [] : [`${counted(view.held, 'ping')} held`]),
  ]
  return [
    `Ping budget${whose}: ${leftText(view)} available.`,
    `Refill: one every ${view.refill_rate_minutes} min; ${next}.`,
    `Today: ${view.daily_used} used, ${view.critical_used} critical.`,
    `Quiet hours: ${view.quiet_hours ?? 'none'}${quiet}.`,
    ...(view.paused === false ? [] : [`Paused${until}: no pings are sent. /resume ends the pause.`]),
    ...(open.length === 0 ? [] : [`Now: ${open.join(', ')}.`]),
  ].join('\n')
}

/** `3/5`: only whole ones count. */
export function leftText({ available, capacity }: Pick<Budget, 'available' | 'capacity'>): string {
  return `${wholeTokens(available)}/${capacity}`
}

const WORDS_MAX = 60

/** The last pings and refusals, the newest first, and how the pings of each job fare. */
export function pingLedgerText(reader: Reader, look: PingsLook): string {
  const { person, settings } = look
  const lines = pingsView(reader, look).map((ping) => {
    const words = shorten(oneLine(ping.text), WORDS_MAX)
    const when = momentText(Date.parse(ping.ts), settings.zone)
    return `- ${when} ${ping.who}: "${words}" → ${fateText(ping)}`
  })
  const heading = lines.length === 0 ? 'No pings yet.' : 'The last pings and refusals, the newest first:'
  const ignored = ignoredJobs(reader, look).map(
    (one) => `${jobText(one)} (${one.arrived} arrived, none answered)`,
  )
  const jobs = jobsOf(reader, person)
  const less = jobs.filter((one) => one.less > 0)
  return [
    heading,
    ...lines,
    ...(ignored.length === 0 ? [] : [`Ignored: ${ignored.join(', ')}.`]),
    ...less.map(
      (one) =>
        `Less of ${jobText(one)}: ${paceText(one.less)}. /ping-budget more ${shortName(one, jobs)} undoes it.`,
    ),
  ].join('\n')
}

const AFTER = { hold: ' after being held', snooze: ' again after a snooze' } as const

/** `sent, within the budget; arrived; answered: done.` */
function fateText({ state, reason, verdict, after, answer }: PingView): string {
  if (state === 'refused') return `refused: ${reason}.`
  if (state === 'held') return `held: ${reason}.`
  const begin = verdict === 'held' ? 'held' : `sent${after === null ? '' : AFTER[after]}`
  return `${[`${begin}, ${reason}`, STATES[state], ...(answer === null ? [] : [ANSWERS[answer]])].join('; ')}.`
}

const STATES: Readonly<Record<Exclude<PingView['state'], 'refused' | 'held'>, string>> = {
  sent: 'on its way',
  arrived: 'arrived',
  released: 'decided again since',
  failed: 'could not be delivered, so it became an update',
  expired: 'not delivered in time, so it became an update',
}

const ANSWERS = {
  done: 'answered: done',
  snoozed: 'answered: snooze',
  less: 'answered: less of this',
  replied: 'replied to',
} as const

/** Its id, where no job of another kind has the same. */
export function shortName(one: JobName, jobs: readonly JobName[]): string {
  const isAlone = jobs.every(({ what, job }) => job !== one.job || what === one.what)
  return isAlone ? one.job : jobText(one)
}
