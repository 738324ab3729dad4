/**
 * What a clock on the wall of that zone shows, as if it were UTC and in whole seconds: for counting with days and hours.
 * For the years 1 to 9999. Throws a RangeError if there is no such zone.
 */
export function shownAt(at: number, zone: string): number {
  const known = Math.floor(at / 1_000) * 1_000
  // Splitting the text is twice as fast as asking for the parts.
  const [day = 1, month = 1, year = 1, ...time] = formatFor(zone).format(known).split(/\D+/).map(Number)
  const shown = utcOf([year, month, day], time)
  // A format shows years before the first without a sign: 1 is the year 1 or the one before.
  return Math.abs(shown - known) < 2 * DAY_MS ? shown : utcOf([1 - year, month, day], time)
}

/** The instant for what `shownAt` gives. In a gap of the clock: the first instant after it. Shown twice: the first. */
export function instantShowing(shown: number, zone: string): number {
  let [low, high] = [shown - REACH_MS, shown + REACH_MS]
  const [before, after] = [offsetAt(low, zone), offsetAt(high, zone)]
  if (before === after) return shown - before
  while (high - low > 1_000) {
    const middle = low + Math.floor((high - low) / 2_000) * 1_000
    if (offsetAt(middle, zone) === before) low = middle
    else high = middle
  }
  const early = shown - before
  return early < high ? early : Math.max(high, shown - after)
}

/** Milliseconds east of Greenwich. */
export function offsetAt(at: number, zone: string): number {
  return shownAt(at, zone) - Math.floor(at / 1_000) * 1_000
}

type Three = readonly [number, number, number]

function utcOf([year, month, day]: Three, [hour = 0, minute = 0, second = 0]: readonly number[]): number {
  // Date.UTC takes the year 50 for 1950.
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day)
  return midnight + ((hour * 60 + minute) * 60 + second) * 1_000
}

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

/** No zone was ever further from Greenwich than 15:14 hours. */
const REACH_MS = 16 * 3_600_000

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
