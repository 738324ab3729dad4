import { clockIn } from '../../base/time-text.ts'
import { oneLine, shorten } from '../../base/width.ts'
import type { ScheduleEntry } from '../../schedule/forward-schedule.ts'
import { hasToken, nextRefillAt, refillsUntil, type Budget } from '../state/ping-budget.ts'

export interface BudgetFacts {
  readonly budget: Budget
  readonly schedule: readonly ScheduleEntry[]
  readonly now: number
  readonly zone: string
  readonly canReport: boolean
}

/** What a run is told about the pings that are left, other jobs that may need them, and when to ping. */
export function budgetText(facts: BudgetFacts): string {
  return [budgetLine(facts), ...leftLine(facts), ...scheduleLines(facts), guidance(facts)].join('\n')
}

/** `Ping budget: 3.4 of 5 available, one back every 90 min.` */
function budgetLine({ budget: { available, capacity, refillMinutes } }: BudgetFacts): string {
  // Rounded down. The small addend makes up for what adding fractions loses.
  const tenths = Math.floor(available * 10 + 1e-6) / 10
  return `Ping budget: ${tenths} of ${capacity} available, one back every ${refillMinutes} min.`
}

function leftLine({ budget, now, zone }: BudgetFacts): string[] {
  const back = nextRefillAt(budget)
  if (hasToken(budget) || back === undefined) return []
  return [`None is left for now: the next one is back at ${timesFrom(now, zone)(back)}.`]
}

function scheduleLines({ budget, schedule, now, zone }: BudgetFacts): string[] {
  const fired = schedule.filter(({ fire_time: at }) => at <= now)
  const coming = schedule.slice(fired.length)
  const shown = shownOf(fired, coming)
  const timeText = timesFrom(now, zone)
  const last = coming.at(-1)
  const left = [fired.length - shown.fired.length, coming.length - shown.coming.length] as const
  return [
    ...(schedule.length === 0 ? [] : [`Background jobs, by the clock of ${zone}:`]),
    ...[...shown.fired, ...shown.coming].map((entry) => entryLine(entry, timeText)),
    ...(left[0] === 0 ? [] : [`… and ${left[0]} more just fired.`]),
    ...(left[1] === 0 ? [] : [`… and ${left[1]} more until ${timeText(last?.fire_time ?? now)}.`]),
    last === undefined
      ? 'No background job is due in the next 12 hours.'
      : `Refills expected before the last of them: ${refillsUntil(budget, last.fire_time)}.`,
  ]
}

const SHOWN_MAX = 20
/** However many jobs have fired, at least these upcoming ones are listed. */
const COMING_MIN = 3

type Entries = readonly ScheduleEntry[]

/** The run's own entry, the latest that fired and the first that come. */
function shownOf(fired: Entries, coming: Entries): { readonly fired: Entries; readonly coming: Entries } {
  if (fired.length + coming.length <= SHOWN_MAX) return { fired, coming }
  const room = Math.min(fired.length, SHOWN_MAX - Math.min(coming.length, COMING_MIN))
  const lately = fired.slice(fired.length - room)
  const own = fired.slice(0, fired.length - room).findLast(({ tag }) => tag === 'this task')
  return {
    fired: own === undefined ? lately : [own, ...lately.slice(1)],
    coming: coming.slice(0, SHOWN_MAX - room),
  }
}

const PATH_COLUMNS = 120

/** Descriptions and file names are other people's words among the host's: quoted, and on one line. */
function entryLine(entry: ScheduleEntry, timeText: (at: number) => string): string {
  const { label, silent, tag } = entry
  const description = oneLine(entry.description).replaceAll('"', "'")
  const path = shorten(oneLine(entry.file_path), PATH_COLUMNS)
  const more = [...(silent ? ['cannot ping'] : []), ...(tag === null ? [] : [tag])]
  const marks = more.length === 0 ? '' : ` [${more.join(', ')}]`
  return `- ${timeText(entry.fire_time)} ${label}: "${description}" (${path})${marks}`
}

/** Formats times, and remembers them: many jobs are due at the same time, and time zones are slow. */
function timesFrom(now: number, zone: string): (at: number) => string {
  const today = clockIn(now, zone)
  const told = new Map<number, string>()
  const tell = (at: number): string => {
    const then = clockIn(at, zone)
    if (then.date === today.date) return then.time
    return Math.abs(at - now) < DAY_MS
      ? `${at > now ? 'tomorrow' : 'yesterday'} ${then.time}`
      : `${then.date} ${then.time}`
  }
  return (at) => {
    const text = told.get(at) ?? tell(at)
    told.set(at, text)
    return text
  }
}

const DAY_MS = 86_400_000

const TIGHT_BELOW = 2

function guidance({ budget, canReport }: BudgetFacts): string {
  return [
    'At most one ping or embed in this run.',
    'Before it ask yourself: would the user regret missing this?',
    `Informational findings and low-stakes check-ins ${canReport ? 'go to report_updates' : 'are no reason to ping'}.`,
    'Save pings for time-sensitive actions, accountability and health.',
    budget.available < TIGHT_BELOW
      ? 'The budget is tight: prioritise what would be regretted.'
      : 'When the budget is tight, prioritise what would be regretted.',
    'critical=True is only for what the user would be devastated to miss.',
  ].join(' ')
}
