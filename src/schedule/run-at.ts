import { instantOf } from '../base/zone-time.ts'
import type { RunAt } from './moment-field.ts'

/** When that is; the zone counts only where the text has no offset. */
export function runAtInstant({ local, offsetMinutes }: RunAt, zone: string): number {
  if (offsetMinutes !== null) return Date.parse(`${local}Z`) - offsetMinutes * 60_000
  const [year = 1, month = 1, day = 1, hour = 0, minute = 0, second = 0] = local.split(/\D+/).map(Number)
  return instantOf({ year, month, day, hour, minute, second }, zone).at
}
