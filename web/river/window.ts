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
export type SpanName = keyof typeof SPANS

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

type Step = { readonly ms: number } & {
  readonly unit: 'minute' | 'hour' | 'day' | 'month' | 'year'
  readonly every: number
}

const STEPS: readonly Step[] = [
  ...[1, 2, 5, 10, 30].map((every) => ({ unit: 'minute', every, ms: every * MINUTE }) as const),
  ...[1, 2, 3, 6, 12].map((every) => ({ unit: 'hour', every, ms: every * HOUR }) as const),
  ...[1, 2, 7].map((every) => ({ unit: 'day', every, ms: every * DAY }) as const),
  ...[1, 3, 6].map((every) => ({ unit: 'month', every, ms: every * 30 * DAY }) as const),
  ...[1, 2, 5, 10].map((every) => ({ unit: 'year', every, ms: every * YEAR }) as const),
]
const TICKS_MAX = 400

/** Lines of the axis, at least `apartPx` apart, where days, months and years begin for whoever looks. */
export function ticksOf({ from, to }: Window, width: number, apartPx = 96) {
  const step = STEPS.find(({ ms }) => (ms / (to - from)) * width >= apartPx) ?? STEPS.at(-1)!
  const ticks: Tick[] = []
  for (let at = firstTick(step, from); at <= to && ticks.length < TICKS_MAX; at = nextTick(step, at))
    ticks.push({ at, ...labelOf(step, at) })
  return { unit: step.unit, ticks }
}

/** The last tick at or before `at`. */
function firstTick({ unit, every }: Step, at: number): number {
  const date = new Date(at)
  const [year, month, day, hour] = [
    date.getFullYear(),
    date.getMonth(),
    date.getDate(),
    date.getHours(),
  ] as const
  switch (unit) {
    case 'minute':
      return new Date(year, month, day, hour, floorTo(date.getMinutes(), every)).getTime()
    case 'hour':
      return new Date(year, month, day, floorTo(hour, every)).getTime()
    case 'day':
      // Weeks begin on Mondays.
      return new Date(year, month, every === 7 ? day - ((date.getDay() + 6) % 7) : day).getTime()
    case 'month':
      return new Date(year, floorTo(month, every), 1).getTime()
    case 'year':
      return new Date(floorTo(year, every), 0, 1).getTime()
  }
}

function nextTick({ unit, every, ms }: Step, at: number): number {
  const date = new Date(at)
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()] as const
  if (unit === 'minute') return at + ms
  // A day on which clocks change has 23 or 25 hours.
  if (unit === 'hour') return new Date(year, month, day, date.getHours() + every).getTime()
  if (unit === 'day') return new Date(year, month, day + every).getTime()
  return unit === 'month'
    ? new Date(year, month + every, 1).getTime()
    : new Date(year + every, 0, 1).getTime()
}

function floorTo(value: number, step: number): number {
  return Math.floor(value / step) * step
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' })
const dayMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const monthName = new Intl.DateTimeFormat('en-GB', { month: 'short' })

function labelOf({ unit, every }: Step, at: number): Omit<Tick, 'at'> {
  const date = new Date(at)
  const [isMidnight, isFirst] = [date.getHours() + date.getMinutes() === 0, date.getDate() === 1]
  if (unit === 'minute' || unit === 'hour')
    return isMidnight
      ? { label: dayMonth.format(date), isMajor: true }
      : { label: clock.format(date), isMajor: false }
  if (unit === 'day')
    return {
      label: every === 7 || isFirst ? dayMonth.format(date) : weekday.format(date).replace(',', ''),
      isMajor: isFirst,
    }
  const isYear = date.getMonth() === 0
  return {
    label: unit === 'year' || isYear ? String(date.getFullYear()) : monthName.format(date),
    isMajor: isYear,
  }
}

const whole = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

/** `8 – 15 Nov`, `14 Nov 09:00 – 11:00` */
export function windowText({ from, to }: Window): string {
  const [start, end] = [new Date(from), new Date(to)]
  const isOneDay = start.toDateString() === end.toDateString()
  if (isOneDay) return `${dayMonth.format(start)} ${clock.format(start)} – ${clock.format(end)}`
  if (to - from < 2 * DAY)
    return `${dayMonth.format(start)} ${clock.format(start)} – ${dayMonth.format(end)} ${clock.format(end)}`
  if (start.getFullYear() !== end.getFullYear()) return `${whole.format(start)} – ${whole.format(end)}`
  if (start.getMonth() !== end.getMonth()) return `${dayMonth.format(start)} – ${dayMonth.format(end)}`
  return `${start.getDate()} – ${dayMonth.format(end)}`
}

const TILE_LEVELS = 40

/** Windows to read, so that the same ones are asked for again: those in view, and one on either side. */
export function tilesOf({ from, to }: Window): readonly Window[] {
  let span = SPAN_MIN
  for (let level = 0; level < TILE_LEVELS && span < to - from; level++) span *= 2
  const [first, last] = [Math.floor(from / span) - 1, Math.floor(to / span) + 1]
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const start = Math.max(0, (first + index) * span)
    return { from: start, to: start + span - 1 }
  })
}
