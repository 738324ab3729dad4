import { clockIn, timeLine } from '../context/wording.ts'

export interface MomentWords {
  /** Where a day begins when it is midnight. */
  readonly zone: string
  readonly now: number
  /** Whether its first or its last millisecond is meant: until the 1st of March is with all of that day. */
  readonly edge: 'start' | 'end'
}

/** `3d` and its kin count back from now; anything else is a year, month, day or time, there unless it names its zone. */
export function momentOf(text: string, words: MomentWords): number | undefined {
  const typed = text.trim()
  const [, count, unit = ''] = AGO.exec(typed) ?? []
  const at = count === undefined ? dated(typed, words) : words.now - Number(count) * (UNITS[unit] ?? 0)
  return at === undefined || Number.isNaN(at) ? undefined : Math.max(0, at)
}

/** `2026-03-01 Sun 09:30`: as at the head of a message, without the zone, which is the same for all. */
export function momentText(at: number, zone: string): string {
  return timeLine(at, zone).slice(1, -` ${zone}]`.length)
}

/** What every refusal of a time says. */
export const MOMENT_FORMS = '2026-03-01, 2026-03, 2026-03-01T08:30, or 3d for three days ago (m, h, d, w)'

const AGO = /^(\d{1,6})\s*([smhdw])$/
const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}

const DATED =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?)?)?$/i

function dated(typed: string, { zone, edge }: MomentWords): number | undefined {
  const found = DATED.exec(typed)
  if (found === null) return undefined
  const [, year, month, day, hour, minute, second] = found
  const given = [year, month, day, hour, minute, second].flatMap((part) =>
    part === undefined ? [] : Number(part),
  )
  if (!isOnClock(given)) return undefined
  const local = edge === 'start' ? utcOf(given) : utcOf(oneMore(given)) - 1
  const shift = shiftOf(found[7])
  return shift === undefined ? instantIn(local, zone) : local - shift
}

/** Years, months, days, hours, minutes and seconds, as many as were given. */
function utcOf([year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0]: readonly number[]): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.setUTCHours(hour, minute, second, 0)
}

/** A Date takes the 31st of February for the 3rd of March. */
function isOnClock(given: readonly number[]): boolean {
  const at = new Date(utcOf(given))
  const [, month = 1, day = 1, hour = 0, minute = 0, second = 0] = given
  return (
    at.getUTCMonth() === month - 1 &&
    at.getUTCDate() === day &&
    at.getUTCHours() === hour &&
    at.getUTCMinutes() === minute &&
    at.getUTCSeconds() === second
  )
}

function oneMore(given: readonly number[]): number[] {
  return given.map((part, index) => (index === given.length - 1 ? part + 1 : part))
}

function shiftOf(zone: string | undefined): number | undefined {
  if (zone === undefined) return undefined
  if (/^z$/i.test(zone)) return 0
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** When a clock on the wall there shows this; where it never does, within the hour that is left out. */
function instantIn(local: number, zone: string): number {
  const first = local - aheadAt(local, zone)
  return local - aheadAt(first, zone)
}

function aheadAt(at: number, zone: string): number {
  const { date, time } = clockIn(at, zone)
  return Date.parse(`${date}T${time}:00Z`) - Math.floor(at / 60_000) * 60_000
}
