import type { Chrono, ParsedResult } from 'chrono-node/en'
import { isoInstant, readIso } from '../base/iso-time.ts'
import { afterSpan, numberIn, readSpan } from '../base/span.ts'
import { whenText, type Place } from '../base/time-text.ts'
import { oneLine, shorten } from '../base/width.ts'
import { DAY_MS, instantShowing, MINUTE_MS, shownAt } from '../base/zone-time.ts'
import { zoneField } from './field-type.ts'

/** Reads a future time: `in 20 minutes`, `tomorrow 9:00`, `2026-08-01T09:00`. The text must be only that. Never throws. */
export async function readWhen(text: string, place: Place): Promise<{ at: number } | { problem: string }> {
  const given = oneLine(text).trim()
  if (given === '') return { problem: `The time is missing. ${EXAMPLES}` }
  if (text.length > CHARS_MAX)
    return { problem: `The time is longer than ${CHARS_MAX} characters. ${EXAMPLES}` }
  const { time, zone } = zoneApart(given.replace(/[.!]+$/, ''))
  const there = { now: place.now, zone: zone ?? place.zone }
  const at = exactly(time.replace(/^(?:at|on|by)\s+/i, ''), there) ?? (await spoken(time, there))
  const said = `'${shorten(given, 60)}'`
  if (typeof at === 'string') return { problem: `${said} is not a time: ${at}. ${EXAMPLES}` }
  if (at === undefined)
    return { problem: `Could not read ${said} as a time. Give only the time. ${EXAMPLES}` }
  if (at - place.now > AHEAD_MS_MAX)
    return { problem: `${said} is more than ten years ahead. Give an earlier time.` }
  if (at > place.now) return { at }
  const past = at === place.now ? 'is now' : `has passed: ${whenText(at, place)}`
  return { problem: `${said} ${past}. Give a time to come. ${EXAMPLES}` }
}

const CHARS_MAX = 500
const AHEAD_MS_MAX = 3_653 * DAY_MS
const EXAMPLES = 'Examples: in 20 minutes, 18:30, tomorrow 9:00, Friday 14:00, 2026-08-01T09:00.'

/** `9:00 Europe/London` */
function zoneApart(text: string): { time: string; zone?: string } {
  const [ending = '', name = ''] = /\s+\(?([A-Za-z_]+(?:\/[\w+-]+)+)\)?$/.exec(text) ?? []
  const read = zoneField.read(name)
  return ending !== '' && 'value' in read
    ? { time: text.slice(0, -ending.length), zone: read.value }
    : { time: text }
}

/** An ISO time or a span, or a reason why it is not one after all. */
function exactly(text: string, place: Place): number | string | undefined {
  const iso = readIso(text)
  if (iso !== undefined && 'because' in iso) return iso.because
  if (iso?.unit === 'minute' || iso?.unit === 'second') return isoInstant(iso.text, place.zone)
  const span = readSpan(text)
  return span === undefined ? undefined : afterSpan(span, place)
}

/** The first possible reading that is in the future, or else the last. */
async function spoken(text: string, place: Place): Promise<number | undefined> {
  const chronos = await import('chrono-node/en')
  // In dates with points, the day comes before the month.
  const chrono = /\b\d{1,2}\.\d{1,2}\.(?:\d|\s|$)/.test(text) ? chronos.GB : chronos.casual
  const texts = clocksMeant(plainly(text)).flatMap((each) => daysMeant(each, shownAt(place.now, place.zone)))
  const instants = texts.flatMap((each) => instantIn(each, chrono, place) ?? []).toSorted((a, b) => a - b)
  return instants.find((at) => at > place.now) ?? instants.at(-1)
}

/** Spellings that chrono does not know, in words that it does. */
function plainly(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/,\s*/g, ' ')
    .replaceAll(/(?<=\d|\s)([ap])\.\s?m\b\.?/g, '$1m')
    .replaceAll(/\b([01]?\d|2[0-3])h([0-5]\d)\b/g, '$1:$2')
    .replaceAll(/\bat ([01]?\d|2[0-3])\.([0-5]\d)\b/g, 'at $1:$2')
    .replace(/\bthe\s+(?=\d{1,2}(?:st|nd|rd|th)\b)/, '')
    .replace(/(?<!\bthe\s+)\bday after tomorrow\b/, 'the day after tomorrow')
    .replace(/\b(?:the\s+)?end of (?:the )?day\b/, '18:00')
    .replace(/\b(?:noon|midday)\b/, '12:00')
    .replace(/\bthis (?=morning|afternoon|evening)/, 'today ')
    .replace(/\bin the (?=morning|afternoon|evening)/, '')
    .replace(HOUR_ALONE, '$1at $2')
}

const HOUR = '1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve'

/** `6`, `nine`, `06`, `tomorrow 9`. Not 17, which may mean minutes. */
const HOUR_ALONE = new RegExp(`^(|(?:today|tonight|tomorrow)\\s+)(0\\d|${HOUR})$`)

const DAY_PART = String.raw`\b(?:tonight|(?:at )?(?:morning|afternoon|evening|night))\b`

/** `at 9`, `nine o'clock`, `quarter to nine`, `ten minutes past 9`, `8:30 pm` */
const CLOCK = new RegExp(
  [
    String.raw`(?<!\d[:./-])\b(?<at>at\s+)?`,
    String.raw`(?:(?<count>(?:a\s+)?(?:half|quarter)|\d{1,2}|(?:twenty[\s-])?[a-z]+)(?:\s+min(?:ute)?s?)?\s+(?<way>past|to)\s+)?`,
    String.raw`(?<hour>${HOUR})(?::(?<figures>[0-5]\d))?(?:\b|(?=[ap]m\b))(?![:./-]\d)`,
    String.raw`(?<clock>\s*o\s?['’]?\s?clock\b)?(?<half>\s*[ap]m\b|\s+${DAY_PART})?`,
  ].join(''),
  'g',
)
const HALF_DAY = 12 * 60

/**
 * Turns a 12-hour time into 24 hours: am, pm or a part of the day decides. Otherwise both readings between 7:00 and 21:59
 * are possible: 5 is 17:00, 10 is 10:00, and 9 is 9:00 or, once that has passed, 21:00. Times in the
 * form of a 24-hour clock (5:00, 05, 17) stay as they are.
 */
function clocksMeant(text: string): readonly string[] {
  const part = new RegExp(DAY_PART).exec(text)?.[0] ?? ''
  const found = text.matchAll(CLOCK).find(({ groups = {} }) => {
    const { at, way, figures, clock, half } = groups
    if (figures === undefined) return (at ?? way ?? clock ?? half) !== undefined
    return way === undefined && (half ?? part) !== ''
  })
  const { count = '', way, hour = '', figures = 0, half } = found?.groups ?? {}
  const beside = way === undefined ? Number(figures) : minutesIn(count)
  if (found === undefined || beside === undefined) return [text]
  const minutes = ((numberIn(hour) ?? 0) * 60 + (way === 'to' ? -beside : beside)) % HALF_DAY
  const day = text.replace(found[0], '@').replace(part, '')
  const told = half ?? part
  // Twelve or one at night is on the next day, which not everybody means who names a day.
  if (told.endsWith('night') && minutes < 5 * 60) {
    if (part === 'tonight') return [`tomorrow ${clockText(minutes)}`]
    return day.trim() === '@' ? [clockText(minutes)] : []
  }
  const prefix = part === 'tonight' ? 'today ' : ''
  return minutesMeant(minutes, told).map((each) => prefix + day.replace('@', clockText(each)))
}

function minutesIn(count: string): number | undefined {
  if (count.endsWith('half')) return 30
  if (count.endsWith('quarter')) return 15
  return /^twenty.five$/.test(count) ? 25 : numberIn(count)
}

function minutesMeant(minutes: number, told: string): readonly number[] {
  if (told === '') return [minutes, minutes + HALF_DAY].filter((each) => each >= 7 * 60 && each < 22 * 60)
  return [/am|morning/.test(told) ? minutes : minutes + HALF_DAY]
}

function clockText(minutes: number): string {
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

/** The days that may be meant: both days of a weekend, and the 5th of this and later months. */
function daysMeant(text: string, shown: number): readonly string[] {
  const weekend = /\b(?:(?:this|the)\s+)?weekend\b/
  if (weekend.test(text))
    return ['saturday', 'sunday'].map((day) => text.replace(weekend, day) + (/\d/.test(text) ? '' : ' 9:00'))
  const [ordinal, date] = ORDINAL.exec(text) ?? []
  if (ordinal === undefined) return [text]
  const months = Array.from({ length: 12 }, (_, month) => {
    const day = new Date(shown)
    day.setUTCMonth(day.getUTCMonth() + month, Number(date))
    return day
  })
  return months
    .filter((day) => day.getUTCDate() === Number(date))
    .map((day) => text.replace(ordinal, day.toISOString().slice(0, 10)))
}

/** `the 5th`, but not in `the 5th floor`. */
const ORDINAL = /(?<=^|\bon\s+)(\d{1,2})(?:st|nd|rd|th)(?=$|\s+(?:at\s+)?\d)/

function instantIn(text: string, chrono: Chrono, { now, zone }: Place): number | undefined {
  const shown = shownAt(now, zone)
  const found = parsed(text, chrono, shown)
  const tags = found?.start.tags() ?? new Set()
  // Chrono counts hours from now in the machine's zone, which may change its clock in between.
  if (found === undefined || tags.has('result/relativeDateAndTime')) return undefined
  if (tags.has('casualReference/now')) return now
  const { start } = found
  if (start.isCertain('timezoneOffset')) {
    const offset = (start.get('timezoneOffset') ?? 0) * MINUTE_MS
    const name = text
      .split(' ')
      .find((word) => chrono.parse(`9:00 ${word}`)[0]?.start.isCertain('timezoneOffset'))
    if (name === undefined) return undefined
    const there = instantIn(text.replace(name, ''), chrono, { now: now + offset, zone: 'UTC' })
    return there && there - offset
  }
  if (start.isCertain('hour') || LATE_PARTS.some((part) => tags.has(`casualReference/${part}`)))
    return instantShowing(shownBy(found), zone)
  // A day of the week without a time is never today.
  const isWeekday = start.isCertain('weekday') && !start.isCertain('day')
  const from = isWeekday ? Math.floor(shown / DAY_MS) * DAY_MS + DAY_MS - 1_000 : shown
  const morning = parsed(`${text} at 9:00`, chrono, from)
  return morning && instantShowing(shownBy(morning), zone)
}

const LATE_PARTS = ['afternoon', 'evening', 'tonight'] as const

/** What chrono reads, if it uses the whole text. `shown`: the wall clock now. */
function parsed(text: string, chrono: Chrono, shown: number): ParsedResult | undefined {
  const isPast = /\b(?:last|past|ago)\b/.test(text)
  const [found, more] = chrono.parse(text, machineTime(shown), { forwardDate: !isPast })
  const rest = text.replace(found?.text ?? '', ' ').replaceAll(/\b(?:at|on|in|by|the)\b/g, '')
  return more === undefined && rest.trim() === '' ? found : undefined
}

/**
 * The wall clock as a time in the machine's zone: parts of chrono count days there, whatever zone they are given, and
 * would be a day off. A millisecond later, because the current time is not in the future.
 */
function machineTime(shown: number): Date {
  const wall = new Date(shown)
  const date = new Date(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate())
  date.setHours(wall.getUTCHours(), wall.getUTCMinutes(), wall.getUTCSeconds(), 1)
  return date
}

function shownBy({ start }: ParsedResult): number {
  const [year = 0, month = 1, ...rest] = PARTS.map((part) => start.get(part) ?? 0)
  return Date.UTC(year, month - 1, ...rest)
}

const PARTS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
