import { instantShowing, shownAt } from '../base/zone-time.ts'

/**
 * How far ahead a text is that is nothing but a span: `20m`, `in 2 hours`, `an hour and a half`, `3 days from now`.
 * Hours, minutes and seconds are exact; days and what is longer lead to the same time on the clock on the wall.
 */
export function spanIn(text: string, { now, zone }: { now: number; zone: string }): number | undefined {
  const span = readSpan(text)
  if (span === undefined) return undefined
  if (span.months / 12 + span.days / 365 + span.ms / YEAR_MS > YEARS_MAX) return now + YEARS_MAX * YEAR_MS
  if (span.months === 0 && span.days === 0) return now + span.ms
  const shown = afterMonths(shownAt(now, zone), span.months) + span.days * DAY_MS
  return instantShowing(shown, zone).at + span.ms
}

interface Span {
  readonly months: number
  readonly days: number
  readonly ms: number
}

const CHARS_MAX = 80
const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS
/** Further than anybody may ask for, and still a date. */
const YEARS_MAX = 100

type Unit = readonly [name: RegExp, of: keyof Span, count: number]

const UNITS: readonly Unit[] = [
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

const PIECE = /^(\d{1,9}(?:\.\d{1,3})?|[a-z]+)\s*([a-z]+)\s*(?:,\s*)?(?:and\s+)?/

function readSpan(text: string): Span | undefined {
  let rest = plainText(text)
  if (text.length > CHARS_MAX || rest === '') return undefined
  const total = { months: 0, days: 0, ms: 0 }
  while (rest !== '') {
    const [piece, count = '', unit = ''] = PIECE.exec(rest) ?? []
    const known = UNITS.find(([name]) => name.test(unit))
    const amount = numberIn(count)
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

function plainText(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^(?:in|within|\+)\s*(?=[\da-z])/, '')
    .replace(/^(?:about|around|exactly)\s+/, '')
    .replace(/\s+(?:from now|later|from today)$/, '')
    .replace(/^(?:a )?half (?:an )?hour$/, '30 min')
    .replace(/^(?:a )?quarter (?:of an )?hour$/, '15 min')
    .replace(/^(?:three )quarters of an hour$/, '45 min')
    .replace(/^(\w+) (hours?|days?|weeks?) and a half$/, '$1 and a half $2')
    .replace(/^(\w+) and a half (?=[a-z]+$)/, (_, count: string) => `${(numberIn(count) ?? -1) + 0.5} `)
    .replace(/^a (?:couple(?: of)?) /, '2 ')
}

/** `20`, `an`, `twelve` */
export function numberIn(word: string): number | undefined {
  if (/^\d/.test(word)) return Number(word)
  if (word === 'a' || word === 'an') return 1
  const count = COUNTS.indexOf(word)
  return count < 0 ? undefined : count
}

/** The last day of the month, where it has no such day. */
function afterMonths(shown: number, months: number): number {
  if (months === 0) return shown
  const date = new Date(shown)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months, 1)
  const lastDay = new Date(date)
  lastDay.setUTCMonth(lastDay.getUTCMonth() + 1, 0)
  date.setUTCDate(Math.min(day, lastDay.getUTCDate()))
  return date.getTime()
}
