import { readDuration } from './span.ts'
import { instantShowing } from './zone-time.ts'

/** A year, month, day, minute or second. */
export interface IsoTime {
  /** `2026-08-01T09:00:00+02:00`; without an offset, a time of whichever zone is asked for. */
  readonly text: string
  readonly unit: 'year' | 'month' | 'day' | 'minute' | 'second'
}

const ISO =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?\s*(Z|[+-]\d\d:?\d\d)?)?)?)?$/i

/** Reads `2026`, `2026-03`, `2026-03-01` and `2026-03-01T08:30+02:00`. A reason, if it only looks like one of these. */
export function readIso(given: string): IsoTime | { readonly because: string } | undefined {
  const found = ISO.exec(given.trim())
  if (found === null) return undefined
  const [, year = '', month, day, hour, minute, second, offset] = found
  const text = `${year}-${month ?? '01'}-${day ?? '01'}T${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}`
  const shown = new Date(`${text}Z`)
  // A Date takes the 30th of February for the 2nd of March.
  if (Number.isNaN(shown.getTime()) || shown.toISOString().slice(0, text.length) !== text)
    return { because: 'there is no such date or time' }
  const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):?(\d\d)/.exec(offset ?? '') ?? []
  if (Number(hours) * 60 + Number(minutes) > OFFSET_MINUTES_MAX || Number(minutes) > 59)
    return { because: `${offset} is not an offset` }
  const unit = second ? 'second' : hour ? 'minute' : day ? 'day' : month ? 'month' : 'year'
  const east = offset === undefined ? '' : `${hours + minutes === '0000' ? '+' : sign}${hours}:${minutes}`
  return { text: text + east, unit }
}

/** The instant that the text of an `IsoTime` means. */
export function isoInstant(text: string, zone: string): number {
  return text.length > LOCAL_LENGTH ? Date.parse(text) : instantShowing(Date.parse(`${text}Z`), zone)
}

/** How to write a time for `momentOf`. */
export const MOMENT_FORMS = '2026-03-01, 2026-03, 2026-03-01T08:30, or 3d for three days ago (m, h, d, w)'

/** `3d` counts back from now; anything else is an ISO time, whose first or last millisecond is meant. */
export function momentOf(
  given: string,
  { zone, now, edge }: { readonly zone: string; readonly now: number; readonly edge: 'start' | 'end' },
): number | undefined {
  const back = readDuration(given)
  if (back !== undefined) return Math.max(0, now - back)
  const iso = readIso(given)
  if (iso === undefined || 'because' in iso) return undefined
  const at = edge === 'start' ? isoInstant(iso.text, zone) : isoInstant(nextAfter(iso), zone) - 1
  return Math.max(0, at)
}

const LOCAL_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length
const OFFSET_MINUTES_MAX = 14 * 60

function nextAfter({ text, unit }: IsoTime): string {
  const next = new Date(`${text.slice(0, LOCAL_LENGTH)}Z`)
  if (unit === 'year') next.setUTCFullYear(next.getUTCFullYear() + 1)
  else if (unit === 'month') next.setUTCMonth(next.getUTCMonth() + 1)
  else next.setTime(next.getTime() + { day: 86_400_000, minute: 60_000, second: 1_000 }[unit])
  return next.toISOString().slice(0, LOCAL_LENGTH) + text.slice(LOCAL_LENGTH)
}
