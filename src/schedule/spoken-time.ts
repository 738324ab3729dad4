import type { Chrono, ParsedResult, Parser } from 'chrono-node/en'
import { instantShowing, shownAt, utcOf } from '../base/zone-time.ts'
import { numberIn, spanIn } from './spoken-span.ts'

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
  const chrono = (DOTTED_DATE.test(text) ? chronos.GB : chronos.casual).clone()
  // In front: of two that read the same words the first is kept.
  chrono.parsers.unshift(ordinalDay, leapDay, twelveHours)
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

/** In front of other words it is no day: the 5th floor. */
const ORDINAL_DAY = new RegExp(
  [
    String.raw`\bthe\s+(\d{1,2})(?:st|nd|rd|th)(?:\s+of\s+(?:the|this)\s+month)?`,
    String.raw`(?=\s*(?:$|[,.;!?]|\d|(?:at|in the|noon|midday|midnight|half|(?:a )?quarter|[a-z]+ (?:[ap]m|o\W?clock))\b))`,
  ].join(''),
  'i',
)

/** The 5th, of whichever month. */
const ordinalDay: Parser = {
  pattern: () => ORDINAL_DAY,
  // Every day that there is, is one of January's; what is no date is thrown away.
  extract: (context, [, day]) => context.createParsingComponents({ day: Number(day) }).imply('month', 1),
}

/** Without a year, it is thrown away in three years of four. */
const leapDay: Parser = {
  pattern: () =>
    /\b(?:on\s+)?(?:29(?:th)?\s+(?:of\s+)?feb(?:ruary)?|feb(?:ruary)?\.?\s+(?:the\s+)?29(?:th)?)\b(?![\s,]*\d{4}\b)/i,
  extract: (context) => context.createParsingComponents({ month: 2, day: 29 }).imply('year', LEAP_YEAR),
}

const LEAP_YEAR = 2028
const TWELVE_HOURS = 'twelve-hours'
export const HOUR_OF_TWELVE = '1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'

const TWELVE_HOUR_CLOCK = new RegExp(
  [
    String.raw`(?<!\d[:.,/-])\b(?<at>at\s+)?`,
    String.raw`(?:(?<count>(?:a\s+)?half|(?:a\s+)?quarter|\d{1,2}|five|ten|twenty(?:[\s-]five)?)(?<unit>\s+min(?:ute)?s?)?\s+(?<way>past|to)\s+)?`,
    String.raw`(?<hour>${HOUR_OF_TWELVE})(?::(?<figures>[0-5]\d))?(?:\b|(?=[ap]m\b))(?![:.,/-]\d)`,
    String.raw`(?<clock>\s*o\s?['’]?\s?clock\b)?`,
    String.raw`(?<half>\s*[ap]m\b|\s+in\s+the\s+(?:morning|afternoon|evening)\b|\s+at\s+night\b)?`,
  ].join(''),
  'i',
)

/** `at 9`, `nine o'clock`, `quarter to nine`, `ten minutes past 9`, `8:30 in the evening` */
const twelveHours: Parser = {
  pattern: () => TWELVE_HOUR_CLOCK,
  extract: (context, { groups = {} }) => {
    const { at, count, unit, way, hour = '', figures, clock, half } = lowered(groups)
    // At 9 to 10 is a while and no time before 10.
    if (way === 'to' && unit === undefined && !(at === undefined ? /quarter$/ : /\D$/).test(count ?? ''))
      return null
    if (figures === undefined && way === undefined && (at ?? clock ?? half) === undefined) return null
    // With minutes in figures it is a time of 24 hours, unless the half of the day is told.
    if (figures !== undefined && (way !== undefined || half === undefined)) return null
    const minutes = way === undefined ? Number(figures ?? 0) : minutesIn(count ?? '')
    if (minutes >= NO_MINUTES) return null
    const told = ((numberIn(hour) ?? 0) * 60 + (way === 'to' ? -minutes : minutes)) % (12 * 60)
    return context
      .createParsingComponents({ hour: Math.floor(told / 60), minute: told % 60 })
      .addTag(TWELVE_HOURS)
  },
}

function lowered(groups: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, text?.toLowerCase()]))
}

const NO_MINUTES = 60

function minutesIn(count: string): number {
  if (count.endsWith('half')) return 30
  if (count.endsWith('quarter')) return 15
  return /^twenty.five$/.test(count) ? 25 : (numberIn(count) ?? NO_MINUTES)
}

function partsIn({ start, text }: ParsedResult): SpokenTime['has'] {
  if (start.tags().has(RELATIVE_TIME)) return 'both'
  const isDated = DATE_PARTS.some((part) => start.isCertain(part))
  const isTimed = start.isCertain('hour') || DAY_PART.test(text)
  return isDated ? (isTimed ? 'both' : 'date') : 'time'
}

const DATE_PARTS = ['day', 'weekday', 'month', 'year'] as const
const RELATIVE_TIME = 'result/relativeDateAndTime'
const DAY_PART = /\b(?:afternoon|evening|night|tonight|noon|midday|midnight)\b/i

function instantIn(result: ParsedResult, chronos: Chronos, place: Place): number | undefined {
  const { start, text } = result
  if (start.tags().has('casualReference/now')) return place.now
  const own = spanIn(text, place)
  if (own !== undefined) return own
  if (start.tags().has(RELATIVE_TIME)) return relative(text, chronos, place)
  const offset = start.isCertain('timezoneOffset') ? start.get('timezoneOffset') : null
  const current = offset === null ? shownAt(place.now, place.zone) : place.now + offset * MINUTE_MS
  const times = timesIn(result)
  const instants = daysIn(result, current).flatMap((day) =>
    times.map((time) =>
      offset === null ? instantShowing(day + time, place.zone).at : day + time - offset * MINUTE_MS,
    ),
  )
  return instants.find((at) => at > place.now) ?? instants.at(-1)
}

/** Hours and minutes are counted where no clock of the machine is put forward or back meanwhile. */
function relative(text: string, chronos: Chronos, { now }: Place): number | undefined {
  const [again] = parsed(text, chronos, CALM)
  if (again === undefined || again.text !== text) return undefined
  return now + again.start.date().getTime() - machineTime(CALM).getTime()
}

const CALM = Date.UTC(2026, 0, 15, 12)
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** The times of day that can be meant, since midnight, in their order. */
function timesIn({ start, text }: ParsedResult): readonly number[] {
  const isTimed = start.isCertain('hour')
  if (!isTimed && (!DAY_PART.test(text) || /\bmorning\b/i.test(text))) return [MORNING_HOUR * HOUR_MS]
  const [hour, minute, second] = [start.get('hour') ?? 0, start.get('minute') ?? 0, start.get('second') ?? 0]
  const beside = minute * MINUTE_MS + second * 1_000
  const hours = start.tags().has(TWELVE_HOURS) ? hoursTold(hour % 12, text) : [hour]
  return hours.map((each) => each * HOUR_MS + beside)
}

const MORNING_HOUR = 9

/**
 * The rule for an hour of twelve, told as `at 5`, `five o'clock` or `quarter past 5`: am, pm or a part of the day decides.
 * Else it is the next such time when people are awake, from 7:00 to 21:59: so 5 is 17:00, 10 is 10:00, and 9 is 9:00 or,
 * once that has passed, 21:00. What is written as on a clock of 24 hours (5:00, 05, 17) is no hour of twelve.
 */
function hoursTold(hour: number, text: string): readonly number[] {
  if (/(?<![a-z])am\b|\bmorning\b/i.test(text)) return [hour]
  const isNight = /night\b/i.test(text)
  // Twelve, or one, at night lies behind midnight.
  if ((isNight && hour < 5) || (hour === 0 && /\bevening\b/i.test(text))) return [hour + 24]
  if (isNight || /(?<![a-z])pm\b|\b(?:afternoon|evening)\b/i.test(text)) return [hour + 12]
  return [hour, hour + 12].filter((each) => each >= 7 && each < 22)
}

/** The days that can be meant, in their order: what a clock that shows `current` calls midnight, as if it were UTC. */
function daysIn(result: ParsedResult, current: number): readonly number[] {
  const { start, text } = result
  const today = Math.floor(current / DAY_MS) * DAY_MS
  const has = partsIn(result)
  // A time alone is the next such time, wherever its clock hangs.
  if (has === 'time')
    return /\bthis\b/i.test(text) ? [today] : counted(4, (days) => today + (days - 1) * DAY_MS)
  const [year, month, day] = [start.get('year') ?? 0, start.get('month') ?? 1, start.get('day') ?? 1]
  if (year < 1 || year > 9_998) return []
  const named = dayOf(year, month, day)
  if (/\b(?:last|ago|yesterday)\b|(?<!\w\s+)\bpast\b/i.test(text)) return [named]
  if (start.isCertain('weekday') && !start.isCertain('day')) {
    if (/\bnext\b/i.test(text)) return [named]
    // Today only with a time that is still to come, or as a part of the weekend.
    const days = counted(8, (days) => today + days * DAY_MS)
    if (/\bweekend\b/i.test(text)) return days.filter((each) => [0, 6].includes(weekdayOf(each)))
    return days.filter((each) => weekdayOf(each) === weekdayOf(named) && (has === 'both' || each !== today))
  }
  if (start.isCertain('year')) return [named]
  const now = new Date(today)
  const [thisYear, thisMonth] = [now.getUTCFullYear(), now.getUTCMonth() + 1]
  if (start.isCertain('month'))
    return counted(9, (years) => dayOf(thisYear + years, month, day)).filter((each) => dateOf(each) === day)
  const weekday = start.isCertain('weekday') ? start.get('weekday') : null
  return counted(60, (months) => dayOf(thisYear, thisMonth + months, day)).filter(
    (each) => dateOf(each) === day && (weekday === null || weekdayOf(each) === weekday),
  )
}

function counted(count: number, each: (index: number) => number): readonly number[] {
  return Array.from({ length: count }, (_, index) => each(index))
}

function dayOf(year: number, month: number, day: number): number {
  return utcOf({ year, month, day, hour: 0, minute: 0, second: 0 })
}

function dateOf(day: number): number {
  return new Date(day).getUTCDate()
}

function weekdayOf(day: number): number {
  return new Date(day).getUTCDay()
}
