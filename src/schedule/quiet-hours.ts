import type { DayHours } from '../config/type/domain-type.ts'
import { DAY_MS, instantShowing, MINUTE_MS, shownAt } from '../base/zone-time.ts'

/** When the quiet hours around `at` end. Null: it is not quiet. An hour that is shown twice does not end them twice. */
export function quietUntil(hours: DayHours | null, zone: string, at: number): number | null {
  return quietBetween(hours, zone, { from: at, to: at })[0]?.to ?? null
}

interface Stretch {
  readonly from: number
  readonly to: number
}

/** The quiet hours that touch this time, whole, in order. */
export function quietBetween(hours: DayHours | null, zone: string, { from, to }: Stretch): Stretch[] {
  if (hours === null || hours.from === hours.to) return []
  const found: Stretch[] = []
  const today = Math.floor(shownAt(from, zone) / DAY_MS) * DAY_MS
  for (let day = today - DAY_MS; day <= shownAt(to, zone); day += DAY_MS) {
    const lastDay = hours.from < hours.to ? day : day + DAY_MS
    const quiet = {
      from: instantShowing(day + hours.from * MINUTE_MS, zone),
      to: instantShowing(lastDay + hours.to * MINUTE_MS, zone),
    }
    if (quiet.from <= to && from < quiet.to) found.push(quiet)
  }
  return found
}
