import type { Chrono, ParsedResult } from 'chrono-node/en'
import { instantShowing, shownAt, utcOf, wallTime } from '../base/zone-time.ts'
import { spanIn } from './spoken-span.ts'

/** Whose clock counts. */
export interface Place {
  readonly now: number
  readonly zone: string
}

/** A time in a text, past or to come. */
export interface SpokenTime {
  readonly index: number
  readonly text: string
  readonly at: number
  readonly has: 'date' | 'time' | 'both'
}

/** All times that a text speaks of, in its order. Loads what reads them when it is first needed. */
export async function spokenTimes(text: string, place: Place): Promise<readonly SpokenTime[]> {
  const chronos = await import('chrono-node/en')
  return parsed(text, chronos, shownAt(place.now, place.zone)).flatMap((result) => {
    const at = instantIn(result, chronos, place)
    return at === undefined ? [] : [{ index: result.index, text: result.text, at, has: partsIn(result) }]
  })
}

/**
 * The wall clock is handed over as if it were the machine's: half of what counts days there does so in the machine's
 * zone, whatever zone it is told, and would be a day off.
 */
function parsed(text: string, chronos: Chronos, shown: number): readonly ParsedResult[] {
  const chrono = DOTTED_DATE.test(text) ? chronos.GB : chronos.casual
  let masked = text
  for (;;) {
    const results = chrono.parse(masked, machineTime(shown))
    const words = results.flatMap((result) => wordAsZone(result) ?? [])
    if (words.length === 0) return results
    for (const { index, length } of words)
      masked = masked.slice(0, index) + '·'.repeat(length) + masked.slice(index + length)
  }
}

interface Chronos {
  readonly casual: Chrono
  readonly GB: Chrono
}

function machineTime(shown: number): Date {
  const wall = new Date(shown)
  const date = new Date(0)
  date.setFullYear(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate())
  date.setHours(wall.getUTCHours(), wall.getUTCMinutes(), wall.getUTCSeconds(), 0)
  return date
}

/** With points, the day stands in front of the month. */
const DOTTED_DATE = /\b\d{1,2}\.\d{1,2}\.(?:\d|\s|$)/

/** At 9:00 get milk: without capitals, GET is a word and no zone of Georgia. */
function wordAsZone({ index, text, start }: ParsedResult): { index: number; length: number } | undefined {
  if (!start.isCertain('timezoneOffset')) return undefined
  const [ending, word = ''] = /[\s,(]([A-Za-z]{2,4})\)?$/.exec(text) ?? []
  if (ending === undefined || word === word.toUpperCase() || NO_ZONE.test(word)) return undefined
  return { index: index + text.length - ending.length + 1, length: word.length }
}

/** What ends a time that has no zone, or is meant as one in small letters too. */
const NO_ZONE =
  /^(?:utc|gmt|am|pm|now|ago|out|secs?|mins?|hrs?|hour|days?|week|wks?|mon?|mos|yrs?|year|qtr)$/i

function partsIn({ start, text }: ParsedResult): SpokenTime['has'] {
  if (start.tags().has(RELATIVE_TIME)) return 'both'
  const isDated = start.isCertain('day') || start.isCertain('weekday') || start.isCertain('month')
  const isTimed = start.isCertain('hour') || DAY_PART.test(text)
  return isDated ? (isTimed ? 'both' : 'date') : 'time'
}

const RELATIVE_TIME = 'result/relativeDateAndTime'
const DAY_PART = /\b(?:afternoon|evening|night|tonight|noon|midday|midnight)\b/i

function instantIn(result: ParsedResult, chronos: Chronos, place: Place): number | undefined {
  const { start, text } = result
  if (start.tags().has('casualReference/now')) return place.now
  const own = spanIn(text, place)
  if (own !== undefined) return own
  if (start.tags().has(RELATIVE_TIME)) return relative(text, chronos, place)
  const shown = shownBy(result, place)
  if (shown === undefined) return undefined
  const offset = start.isCertain('timezoneOffset') ? start.get('timezoneOffset') : null
  const instant = (days: number): number =>
    offset === null
      ? instantShowing(shown + days * DAY_MS, place.zone).at
      : shown + days * DAY_MS - offset * MINUTE_MS
  if (partsIn(result) !== 'time' || /\bthis\b/i.test(text)) return instant(0)
  // A time alone is the next such time, wherever its clock hangs.
  return [-1, 0, 1, 2].map(instant).find((at) => at > place.now && (offset !== null || at >= instant(0)))
}

/** Hours and minutes are counted where no clock of the machine is put forward or back meanwhile. */
function relative(text: string, chronos: Chronos, { now }: Place): number | undefined {
  const [again] = parsed(text, chronos, CALM)
  if (again === undefined || again.text !== text) return undefined
  return now + again.start.date().getTime() - machineTime(CALM).getTime()
}

const CALM = Date.UTC(2026, 0, 15, 12)
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** What the clock on the wall shows then, as if it were UTC. */
function shownBy(result: ParsedResult, place: Place): number | undefined {
  const { start, text } = result
  const isMorning = /\bmorning\b/i.test(text) && !start.isCertain('hour')
  const isOpen = !start.isCertain('hour') && !DAY_PART.test(text)
  const time =
    isOpen || isMorning
      ? { hour: MORNING_HOUR, minute: 0, second: 0 }
      : { hour: start.get('hour') ?? 0, minute: start.get('minute') ?? 0, second: start.get('second') ?? 0 }
  const [year, month, day] = [start.get('year') ?? 0, start.get('month') ?? 1, start.get('day') ?? 1]
  if (year < 1 || year > 9_998) return undefined
  const shown = utcOf({ year, month, day, ...time })
  const current = shownAt(place.now, place.zone)
  if (/\b(?:last|past|ago|yesterday)\b/i.test(text)) return shown
  if (start.isCertain('weekday') && !start.isCertain('day'))
    return /\bnext\b/i.test(text) ? shown : onWeekday(shown, { current, isTimed: !isOpen })
  if (!start.isCertain('month') || start.isCertain('year') || shown > current) return shown
  return utcOf({ year: wallTime(place.now, place.zone).year + 1, month, day, ...time })
}

const MORNING_HOUR = 9

/** The next such day; today only with a time that is still to come. */
function onWeekday(shown: number, { current, isTimed }: { current: number; isTimed: boolean }): number {
  const weeks = Math.ceil((current - shown) / (7 * DAY_MS))
  const next = shown + weeks * 7 * DAY_MS
  const isToday = Math.floor(next / DAY_MS) === Math.floor(current / DAY_MS)
  return next <= current || (isToday && !isTimed) ? next + 7 * DAY_MS : next
}
