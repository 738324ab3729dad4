import { clockIn } from '../../context/wording.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/** When something was that is over: `09:00`, `yesterday 09:00`, `Tuesday 09:00`, `2026-03-01 09:00`. */
export function sinceWords(
  at: number,
  { now, zone }: { readonly now: number; readonly zone: string },
): string {
  const { date, time } = clockIn(at, zone)
  const days = (dayOf(clockIn(now, zone).date) - dayOf(date)) / DAY_MS
  if (days === 0) return time
  if (days === 1) return `yesterday ${time}`
  if (days < 0 || days > 6) return `${date} ${time}`
  return `${WEEKDAYS[new Date(dayOf(date)).getUTCDay()] ?? date} ${time}`
}

/** As if that day were one of Greenwich: so every day is as long as any other. */
function dayOf(date: string): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return Date.UTC(year, month - 1, day)
}
