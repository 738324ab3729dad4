import { inZone, instantOf, wallAt } from '../api/zone.ts'

/** The stretch of time that is drawn. */
export interface Window {
  readonly from: number
  readonly to: number
}

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const YEAR = 365 * DAY
const SPAN_MIN = 2 * MINUTE
const SPAN_MAX = 40 * YEAR

export const SPANS = { Day: DAY, Week: 7 * DAY, Year: YEAR } as const

/** Where `now` is drawn: a little is left for what comes. */
const NOW_SHARE = 0.93

export function endingNow(span: number, now: number): Window {
  const from = now - span * NOW_SHARE
  return { from, to: from + span }
}

/** What began later than the span is long fills the width. */
export function wholeSpan(span: number, age: number): number {
  return age < span ? Math.min(span, Math.max(DAY, age / (NOW_SHARE - 0.04))) : span
}

export function moved({ from, to }: Window, ms: number): Window {
  return { from: from + ms, to: to + ms }
}

/** Another span; what lies at `share` of the width stays there. */
export function zoomed({ from, to }: Window, factor: number, share = 0.5): Window {
  const span = Math.min(SPAN_MAX, Math.max(SPAN_MIN, (to - from) * factor))
  const fixed = from + (to - from) * share
  return { from: fixed - span * share, to: fixed + span * (1 - share) }
}

/** Nobody gets lost: something between the beginning and now stays in view. */
export function within({ from, to }: Window, { since, now }: { since: number; now: number }): Window {
  const span = to - from
  const first = Math.min(since, now) - span * 0.5
  const last = Math.max(since, now) + span * 0.5
  const start = Math.min(Math.max(from, first), Math.max(first, last - span))
  return { from: start, to: start + span }
}

export interface Tick {
  readonly at: number
  readonly label: string
  /** A day, a month or a year begins. */
  readonly isMajor: boolean
}

interface Step {
  readonly unit: keyof typeof UNITS
  readonly every: number
}

const UNITS = { year: YEAR, month: 30 * DAY, day: DAY, hour: HOUR, minute: MINUTE } as const

const STEPS: readonly Step[] = [
  ...[1, 2, 5, 10, 30].map((every) => ({ unit: 'minute', every }) as const),
  ...[1, 2, 3, 6, 12].map((every) => ({ unit: 'hour', every }) as const),
  ...[1, 2, 7].map((every) => ({ unit: 'day', every }) as const),
  ...[1, 3, 6].map((every) => ({ unit: 'month', every }) as const),
  ...[1, 2, 5, 10].map((every) => ({ unit: 'year', every }) as const),
]
const TICKS_MAX = 400

/** Lines of the axis, at least `apartPx` apart, where days, months and years begin for the person who looks. */
export function ticksOf({ from, to }: Window, width: number, apartPx = 96) {
  const msMin = ((to - from) / width) * apartPx
  const step = STEPS.find(({ unit, every }) => UNITS[unit] * every >= msMin) ?? STEPS.at(-1)!
  const ticks: Tick[] = []
  for (let at = tickAt(step, from); at <= to && ticks.length < TICKS_MAX; at = tickAt(step, at, 1))
    ticks.push({ at, ...labelOf(step, at) })
  return { unit: step.unit, ticks }
}

/** The last tick at or before `at`, or the one that is so many steps later. */
function tickAt({ unit, every }: Step, at: number, later = 0): number {
  // Not by the clock: an hour that comes twice would be ticked for ever.
  if (unit === 'minute' && later > 0) return at + later * every * MINUTE
  const wall = wallAt(at)
  const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()] as const
  const [hour, minute] = [wall.getUTCHours(), wall.getUTCMinutes()] as const
  const past = (value: number): number => later * every - (value % every)
  const tick = (): number => {
    switch (unit) {
      case 'minute':
        return Date.UTC(year, month, day, hour, minute + past(minute))
      case 'hour':
        return Date.UTC(year, month, day, hour + past(hour))
      case 'day':
        // The fifth of January 1970 was a Monday, so weeks begin on Mondays.
        return Date.UTC(year, month, day + past(Date.UTC(year, month, day - 4) / DAY))
      case 'month':
        return Date.UTC(year, month + past(month), 1)
      case 'year':
        return Date.UTC(year + past(year), 0, 1)
    }
  }
  const found = instantOf(tick())
  // An hour that the clock leaves out may be found before it.
  return later > 0 && found <= at ? found + HOUR : found
}

const CLOCK = { hour: '2-digit', minute: '2-digit' } as const
const WEEKDAY = { weekday: 'short', day: 'numeric' } as const
const DAY_MONTH = { day: 'numeric', month: 'short' } as const
const MONTH = { month: 'short' } as const

function labelOf({ unit, every }: Step, at: number): Omit<Tick, 'at'> {
  const wall = wallAt(at)
  const isFirst = wall.getUTCDate() === 1
  switch (unit) {
    case 'minute':
    case 'hour': {
      const isMajor = wall.getUTCHours() + wall.getUTCMinutes() === 0
      return { label: inZone(isMajor ? DAY_MONTH : CLOCK).format(at), isMajor }
    }
    case 'day': {
      const format = inZone(every === 7 || isFirst ? DAY_MONTH : WEEKDAY)
      return { label: format.format(at).replace(',', ''), isMajor: isFirst }
    }
    case 'month':
    case 'year': {
      const isMajor = wall.getUTCMonth() === 0
      return { label: isMajor ? String(wall.getUTCFullYear()) : inZone(MONTH).format(at), isMajor }
    }
  }
}

const MOMENTS = { ...DAY_MONTH, ...CLOCK } as const

/** `8 – 15 Nov`, `14 Nov, 09:00–11:00` */
export function windowText({ from, to }: Window): string {
  return inZone(to - from < 2 * DAY ? MOMENTS : DAY_MONTH).formatRange(from, to)
}

/** Windows to read, so that the same ones are asked for again: those in view, and one on either side. */
export function tilesOf({ from, to }: Window): readonly Window[] {
  const span = SPAN_MIN * 2 ** Math.max(0, Math.ceil(Math.log2((to - from) / SPAN_MIN)))
  const [first, last] = [Math.floor(from / span) - 1, Math.floor(to / span) + 1]
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const start = Math.max(0, (first + index) * span)
    return { from: start, to: start + span - 1 }
  })
}
