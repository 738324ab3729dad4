import type { Place } from './time-text.ts'
import { instantShowing, shownAt } from './zone-time.ts'

/** Months and days depend on the calendar, the rest is exact. */
export interface Span {
  readonly months: number
  readonly days: number
  readonly ms: number
}

/** Reads a text that is only a span: `20m`, `in 2 hours`, `1 h 30 min`, `an hour and a half`, `3 days from now`. */
export function readSpan(text: string): Span | undefined {
  let rest = plainText(text)
  if (text.length > CHARS_MAX || rest === '') return undefined
  const total = { months: 0, days: 0, ms: 0 }
  while (rest !== '') {
    const [piece, digits, word = '', unit = ''] = PIECE.exec(rest) ?? []
    const known = UNITS.find(([name]) => name.test(unit))
    const amount = numberIn(digits ?? word)
    if (piece === undefined || known === undefined || amount === undefined) return undefined
    const [, of, each] = known
    // Half a month is no date, and half a day is twelve hours.
    if (of === 'months' && !Number.isInteger(amount * each)) return undefined
    if (of === 'days' && !Number.isInteger(amount * each)) total.ms += Math.round(amount * each * DAY_MS)
    else total[of] += Math.round(amount * each)
    rest = rest.slice(piece.length)
  }
  return total.months + total.days + total.ms > 0 ? total : undefined
}

/** Milliseconds in `2h`, `90 min`, `1d`. Undefined if it is no span, or one of months. */
export function readDuration(text: string): number | undefined {
  const span = readSpan(text)
  return span === undefined || span.months > 0 ? undefined : span.days * DAY_MS + span.ms
}

/** Days and months lead to the same time on the clock on the wall. */
export function afterSpan({ months, days, ms }: Span, { now, zone }: Place): number {
  if (months / 12 + days / 365 > YEARS_MAX) return Infinity
  if (months === 0 && days === 0) return now + ms
  return instantShowing(afterMonths(shownAt(now, zone), months) + days * DAY_MS, zone) + ms
}

/** `20`, `an`, `twelve` */
export function numberIn(word: string): number | undefined {
  if (/^\d/.test(word)) return Number(word)
  const count = word === 'a' || word === 'an' ? 1 : COUNTS.indexOf(word)
  return count < 0 ? undefined : count
}

const CHARS_MAX = 80
const DAY_MS = 86_400_000
const YEARS_MAX = 100

const UNITS: readonly (readonly [name: RegExp, of: keyof Span, count: number])[] = [
  [/^s(?:ec(?:ond)?s?)?$/, 'ms', 1_000],
  [/^m(?:in(?:ute)?s?)?$/, 'ms', 60_000],
  [/^h(?:(?:ou)?rs?)?$/, 'ms', 3_600_000],
  [/^d(?:ays?)?$/, 'days', 1],
  [/^w(?:(?:ee)?ks?)?$/, 'days', 7],
  [/^fortnights?$/, 'days', 14],
  [/^mo(?:nth)?s?$/, 'months', 1],
  [/^y(?:(?:ea)?rs?)?$/, 'months', 12],
]

const COUNTS = [
  'zero one two three four five six seven eight nine ten eleven twelve',
  'thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
]
  .join(' ')
  .split(' ')

const PIECE = /^(?:(\d{1,9}(?:\.\d{1,3})?)\s*|([a-z]+)\s+)([a-z]+)(?:$|(?:,\s*|\s+and\s+|\s+)(?=\S)|(?=\d))/

function plainText(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^(?:in|within) (\d{1,2})h([0-5]\d)$/, '$1 h $2 min')
    .replace(/^(?:in|within|\+)\s*(?=[\da-z])/, '')
    .replace(/^(?:about|around|exactly)\s+/, '')
    .replace(/\s+(?:from now|later|from today)$/, '')
    .replace(/^(?:a )?half (?:an )?hour$/, '30 min')
    .replace(/^(?:a )?quarter (?:of an )?hour$/, '15 min')
    .replace(/^three quarters of an hour$/, '45 min')
    .replace(/^(\w+) (hours?|days?|weeks?) and a half$/, '$1 and a half $2')
    .replace(/^(\w+) and a half (?=[a-z]+$)/, (_, count: string) => `${(numberIn(count) ?? -1) + 0.5} `)
    .replace(/^a couple (?:of )?/, '2 ')
    .replace(/^a few /, '3 ')
}

/** The last day of the month, if it has no such day. */
function afterMonths(shown: number, months: number): number {
  const date = new Date(shown)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months)
  if (date.getUTCDate() !== day) date.setUTCDate(0)
  return date.getTime()
}
