const formats = new Map<string, Intl.DateTimeFormat>()

/** The local time there: `2026-03-29T03:00:00`. */
export function wallOf(at: number, zone: string): string {
  const known = formats.get(zone)
  const format = known ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, ...WHOLE })
  formats.set(zone, format)
  return format.format(at).replace(' ', 'T')
}

const WHOLE = { dateStyle: 'short', timeStyle: 'medium' } as const
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The largest shift of a clock. */
const SHIFT_MS = 3 * HOUR_MS

/** Whether a local time means this moment: the first of two, or right after a gap if it never was. */
export function isInstantOf(local: string, zone: string, at: number): boolean {
  const shown = wallOf(at, zone)
  if (shown === local) return wallOf(at - HOUR_MS, zone) !== local
  return shown > local && wallOf(at - 1, zone) < local
}

/** Whether five fields mean this moment; a time within a gap is due right after it, and of two the first. */
export function isFiringTime(cron: string, zone: string, at: number): boolean {
  if (at % MINUTE_MS !== 0) return false
  const local = wallOf(at, zone)
  if (fits(cron, local)) {
    for (let before = at - SHIFT_MS; before < at; before += 30 * MINUTE_MS)
      if (wallOf(before, zone) === local) return false
    return true
  }
  const [before, now] = [wallOf(at - MINUTE_MS, zone), local].map((wall) => Date.parse(`${wall}Z`))
  for (let gap = (before ?? 0) + MINUTE_MS; gap < (now ?? 0); gap += MINUTE_MS)
    if (fits(cron, new Date(gap).toISOString().slice(0, 19))) return true
  return false
}

/** Minute, hour, day of the month, month, day of the week. */
function fits(cron: string, local: string): boolean {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ')
  const date = new Date(`${local}Z`)
  const isDay = has(day, date.getUTCDate())
  const isWeekday = has(weekday, date.getUTCDay()) || (date.getUTCDay() === 0 && has(weekday, 7))
  const isEither = !day.startsWith('*') && !weekday.startsWith('*')
  return (
    has(minute, date.getUTCMinutes()) &&
    has(hour, date.getUTCHours()) &&
    has(month, date.getUTCMonth() + 1) &&
    (isEither ? isDay || isWeekday : isDay && isWeekday)
  )
}

function has(field: string, value: number): boolean {
  return field.split(',').some((piece) => {
    const [span = '', step = '1'] = piece.split('/')
    if (span === '*') return value % Number(step) === 0
    const [from = '', to = from] = span.split('-')
    return value >= Number(from) && value <= Number(to) && (value - Number(from)) % Number(step) === 0
  })
}

/** Whether a moment lies within hours of the day, in minutes since midnight. */
export function isWithin(hours: { from: number; to: number } | null, zone: string, at: number): boolean {
  if (hours === null) return false
  const [hour = 0, minute = 0] = wallOf(at, zone).slice(11, 16).split(':').map(Number)
  const now = hour * 60 + minute
  return hours.from < hours.to ? now >= hours.from && now < hours.to : now >= hours.from || now < hours.to
}
