import { oneLine, shorten } from '../base/width.ts'
import { clockIn } from '../context/wording.ts'
import type { ScheduleEntry } from '../schedule/forward-schedule.ts'
import { hasToken, nextRefillAt, refillsUntil, type Budget } from './ping-budget.ts'

export interface BudgetFacts {
  readonly budget: Budget
  readonly schedule: readonly ScheduleEntry[]
  readonly now: number
  readonly zone: string
  readonly canReport: boolean
}

/** What a run is told of the pings that are left, of who else may need them, and of when to ping. */
export function budgetText(facts: BudgetFacts): string {
  return [budgetLine(facts), ...leftLine(facts), ...scheduleLines(facts), guidance(facts)].join('\n')
}

/** `Ping budget: 3.4 of 5 available, one back every 90 min.` */
function budgetLine({ budget: { available, capacity, refillMinutes } }: BudgetFacts): string {
  // Never more than there is, but for what adding up fractions loses.
  const tenths = Math.floor(available * 10 + 1e-6) / 10
  return `Ping budget: ${tenths} of ${capacity} available, one back every ${refillMinutes} min.`
}

function leftLine({ budget, now, zone }: BudgetFacts): string[] {
  const back = nextRefillAt(budget)
  if (hasToken(budget) || back === undefined) return []
  return [`None is left for now: the next one is back at ${timeText(back, { now, zone })}.`]
}

function scheduleLines({ budget, schedule, now, zone }: BudgetFacts): string[] {
  const coming = schedule.filter(({ fire_time: at }) => at > now)
  const last = coming.at(-1)
  const lines = schedule.map((entry) => entryLine(entry, { now, zone }))
  return [
    ...(lines.length === 0 ? [] : [`Background jobs, by the clock of ${zone}:`, ...lines]),
    last === undefined
      ? 'No background job is due in the next 12 hours.'
      : `Refills expected before the last of them: ${refillsUntil(budget, last.fire_time)}.`,
  ]
}

const PATH_COLUMNS = 120

/** Descriptions and names of files are words of others among words of the host: in quotes, and on one line. */
function entryLine(entry: ScheduleEntry, place: { readonly now: number; readonly zone: string }): string {
  const { label, silent, tag } = entry
  const description = oneLine(entry.description).replaceAll('"', "'")
  const path = shorten(oneLine(entry.file_path), PATH_COLUMNS)
  const more = [...(silent ? ['cannot ping'] : []), ...(tag === null ? [] : [tag])]
  const marks = more.length === 0 ? '' : ` [${more.join(', ')}]`
  return `- ${timeText(entry.fire_time, place)} ${label}: "${description}" (${path})${marks}`
}

function timeText(at: number, { now, zone }: { readonly now: number; readonly zone: string }): string {
  const [then, today] = [clockIn(at, zone), clockIn(now, zone)]
  if (then.date === today.date) return then.time
  return Math.abs(at - now) < DAY_MS
    ? `${at > now ? 'tomorrow' : 'yesterday'} ${then.time}`
    : `${then.date} ${then.time}`
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
