/** What a clock on the wall shows; months and days count from 1. */
export interface WallTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}

export interface Instant {
  readonly at: number
  /** In a gap that the clock jumps over, or shown twice, because it is put back. */
  readonly kind: 'exact' | 'gap' | 'twice'
}

/** For the years 1 to 9999. Throws a RangeError where there is no such zone. */
export function wallTime(at: number, zone: string): WallTime {
  const shown = new Date(shownAt(at, zone))
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    second: shown.getUTCSeconds(),
  }
}

/** In a gap: the first instant after it. Shown twice: the first. Day 32 and the like run over into what follows. */
export function instantOf(wall: WallTime, zone: string): Instant {
  return instantShowing(utcOf(wall), zone)
}

/** The same as if the clock on the wall showed UTC, in whole seconds: for counting with days and hours. */
export function shownAt(at: number, zone: string): number {
  const known = Math.floor(at / 1_000) * 1_000
  const [day = 1, month = 1, year = 1, hour = 0, minute = 0, second = 0] = numbersIn(
    formatFor(zone).format(known),
  )
  const shown = utcOf({ year, month, day, hour, minute, second })
  // A format tells years before the first without a sign: 1 is the year 1 or the one before.
  return Math.abs(shown - known) < 2 * DAY_MS
    ? shown
    : utcOf({ year: 1 - year, month, day, hour, minute, second })
}

/** The instant for what `shownAt` gives. */
export function instantShowing(shown: number, zone: string): Instant {
  let [low, high] = [shown - REACH_MS, shown + REACH_MS]
  const [before, after] = [offsetAt(low, zone), offsetAt(high, zone)]
  if (before === after) return { at: shown - before, kind: 'exact' }
  while (high - low > 1_000) {
    const middle = low + Math.floor((high - low) / 2_000) * 1_000
    if (offsetAt(middle, zone) === before) low = middle
    else high = middle
  }
  const [early, late] = [shown - before, shown - after]
  if (early < high) return { at: early, kind: late >= high ? 'twice' : 'exact' }
  return late >= high ? { at: late, kind: 'exact' } : { at: high, kind: 'gap' }
}

export function utcOf({ year, month, day, hour, minute, second }: WallTime): number {
  const date = new Date(0)
  // Date.UTC takes the year 50 for 1950.
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second)
  return date.getTime()
}

const DAY_MS = 86_400_000

/** No zone was ever further from Greenwich than 15:14 hours. */
const REACH_MS = 16 * 3_600_000

function offsetAt(at: number, zone: string): number {
  return shownAt(at, zone) - Math.floor(at / 1_000) * 1_000
}

/** Splitting the text is twice as fast as asking for the parts. */
function numbersIn(text: string): readonly number[] {
  return text.split(/\D+/).map(Number)
}

/** Making a format takes much longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatFor(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  formats.set(zone, format)
  return format
}
