/** A day, a month or a year that a question names; `year` null: of any year. */
export interface TimeHint {
  readonly year: number | null
  readonly month: number | null
  readonly day: number | null
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const MONTH = String.raw`(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?`
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th)?`
const ISO = /\b(\d{4})-(\d\d)(?:-(\d\d))?\b/
const DAY_MONTH = new RegExp(String.raw`\b${DAY}(?: of)?\s+${MONTH}`, 'i')
const MONTH_DAY = new RegExp(String.raw`\b${MONTH}\s+${DAY}(?!\d)`, 'i')
/** Without a day, "may" and "march" are mostly other words. */
const MONTH_ALONE = new RegExp(
  String.raw`\b(in|during|of|last|since|by|early|late|mid)?[\s-]*\b${MONTH}`,
  'gi',
)
const YEAR = /\b(?:19|20)\d\d\b/

export function timeHintIn(text: string): TimeHint | null {
  const iso = ISO.exec(text)
  if (iso !== null) return hint(Number(iso[1]), Number(iso[2]) - 1, iso[3])
  const year = YEAR.exec(text)?.[0]
  const [, day, month] = DAY_MONTH.exec(text) ?? reordered(MONTH_DAY.exec(text))
  const found = month ?? monthAlone(text)
  if (found === undefined && year === undefined) return null
  return hint(year === undefined ? null : Number(year), found === undefined ? null : monthNumber(found), day)
}

function hint(year: number | null, month: number | null, day: string | undefined): TimeHint {
  return { year, month, day: day === undefined ? null : Number(day) }
}

function reordered(match: RegExpExecArray | null): (string | undefined)[] {
  return match === null ? [] : [match[0], match[2], match[1]]
}

function monthAlone(text: string): string | undefined {
  for (const [, before, month = ''] of text.matchAll(MONTH_ALONE)) {
    const isOther = /^(?:may|march|mar|jun|dec|sep)$/i.test(month)
    if (!isOther || before !== undefined || /^M(?:arch|ay)$/.test(month) || YEAR.test(text)) return month
  }
  return undefined
}

function monthNumber(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase())
}

const DAY_MS = 86_400_000

/** How near something was said to the time that a question names, 0 to 1: things are told when they happen or soon after. */
export function nearness({ year, month, day }: TimeHint, at: number): number {
  const said = new Date(at)
  if (month === null) return said.getUTCFullYear() === year ? 1 : 0
  const inYear = year ?? said.getUTCFullYear()
  if (day !== null) {
    const days = (at - Date.UTC(inYear, month, day)) / DAY_MS
    if (days >= -0.5 && days <= 7) return 1
    return days > -3 && days <= 14 ? 0.5 : 0
  }
  const [from, to] = [Date.UTC(inYear, month, 1), Date.UTC(inYear, month + 1, 1)]
  if (at >= from && at < to) return 1
  return at >= to && at < to + 10 * DAY_MS ? 0.5 : 0
}
