import type { DayHours } from '../config/type/domain-type.ts'
import { DAY_MS, instantShowing, MINUTE_MS, shownAt } from '../base/zone-time.ts'

/** When the quiet hours around `at` end. Null: it is not quiet. An hour that is shown twice does not end them twice. */
export function quietUntil(hours: DayHours | null, zone: string, at: number): number | null {
  if (hours === null || hours.from === hours.to) return null
  const today = Math.floor(shownAt(at, zone) / DAY_MS) * DAY_MS
  for (const day of [today - DAY_MS, today]) {
    const lastDay = hours.from < hours.to ? day : day + DAY_MS
    const end = instantShowing(lastDay + hours.to * MINUTE_MS, zone)
    if (at < end && at >= instantShowing(day + hours.from * MINUTE_MS, zone)) return end
  }
  return null
}
