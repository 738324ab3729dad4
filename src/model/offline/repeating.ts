import { cutTime, REMINDED_AT, tidied } from './time-cut.ts'

/** What comes again and again, as five fields; undefined where the words leave one of them open. */
export interface Repeating {
  readonly cron: string | undefined
  /** The words without when. */
  readonly task: string
}

const DAY_NAMES = '(?:mon|tues|wednes|thurs|fri|satur|sun)day'
const EVERY = new RegExp(
  String.raw`\b(?:every|each) (?:single )?(?<unit>day|morning|evening|afternoon|night|hour|weekday|${DAY_NAMES})s?\b|\b(?:on|at) (?<days>weekdays|weekends|${DAY_NAMES}s)\b|\b(?<often>daily|hourly)\b|\bonce a (?<once>day)\b`,
  'iu',
)
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const LATE_PARTS = /^(?:evening|afternoon|night)$/iu

export function repeatingIn(
  said: string,
  { opening, today }: { readonly opening: string | undefined; readonly today: string | undefined },
): Repeating {
  const found = EVERY.exec(said)
  const { unit, days, often, once } = found?.groups ?? {}
  const named = (unit ?? days ?? often ?? once ?? '').toLowerCase()
  const without = found === null ? said : said.replace(found[0], ' ')
  const { task, when } = cutTime(without, { today, links: REMINDED_AT })
  if (found === null || EVERY.test(without)) return { cron: undefined, task: tidied(without) }
  if (named.startsWith('hour')) return { cron: when === undefined ? '0 * * * *' : undefined, task }
  const time = clockIn(when ?? opening ?? '', LATE_PARTS.test(named))
  const on = daysOf(named)
  return { cron: time === undefined || on === undefined ? undefined : `${time} * * ${on}`, task }
}

function daysOf(named: string): string | undefined {
  if (named.startsWith('weekday')) return '1-5'
  if (named.startsWith('weekend')) return '6,0'
  const at = DAYS.findIndex((day) => named.startsWith(day) && named.includes('day'))
  return at >= 0 ? String(at) : '*'
}

/** Minute and hour. From 1 to 6 without am and pm, nobody knows which is meant. */
function clockIn(when: string, isLate: boolean): string | undefined {
  if (/^at noon$/iu.test(when)) return '0 12'
  const [, hours, minutes = '00', half] = /^at (\d{1,2})(?::(\d\d))?\s?([ap]m)?$/iu.exec(when) ?? []
  if (hours === undefined) return undefined
  const hour = Number(hours)
  const isPlain = half === undefined && minutes === '00' && hour < 7
  if (isPlain && !isLate) return undefined
  const isPm = half === undefined ? isLate && hour < 12 : half.toLowerCase() === 'pm'
  const of24 = half === undefined && !isPm ? hour : (hour % 12) + (isPm ? 12 : 0)
  return of24 > 23 ? undefined : `${Number(minutes)} ${of24}`
}
