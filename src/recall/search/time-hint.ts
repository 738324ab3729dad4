/** A day, a month or a year that a question names; `year` null: of any year. */
export interface TimeHint {
  readonly year: number | null
  readonly month: number | null
  readonly day: number | null
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const MONTH = String.raw`(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?`
const DAY = String.raw`(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?`
const ISO = /\b((?:19|20)\d\d)-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?\b/
const DAY_MONTH = new RegExp(String.raw`\b${DAY}(?: of)?\s+${MONTH}`, 'i')
const MONTH_DAY = new RegExp(String.raw`\b${MONTH}\s+(?:the\s+)?${DAY}(?![\d:])`, 'i')
const MONTH_ALONE = new RegExp(
  String.raw`(?:\b(in|during|of|last|next|this|since|until|till|by|early|late|mid)[\s-]+)?\b${MONTH}(?:,?\s+((?:19|20)\d\d)\b)?`,
  'gi',
)
const YEAR = /\b(?:19|20)\d\d\b/

/** Without a day, some months are mostly other words, and some are people: `isName` tells those. */
export function timeHintIn(text: string, isName: (word: string) => boolean = () => false): TimeHint | null {
  const iso = ISO.exec(text)
  if (iso !== null) return hint(Number(iso[1]), Number(iso[2]) - 1, iso[3])
  const year = YEAR.exec(text)?.[0]
  const [, day, month] = DAY_MONTH.exec(text) ?? reordered(MONTH_DAY.exec(text))
  const found = month ?? monthAlone(text, isName)
  if (found === undefined && year === undefined) return null
  return hint(year === undefined ? null : Number(year), found === undefined ? null : monthNumber(found), day)
}

function hint(year: number | null, month: number | null, day: string | undefined): TimeHint {
  return { year, month, day: day === undefined ? null : Number(day) }
}

function reordered(match: RegExpExecArray | null): (string | undefined)[] {
  return match === null ? [] : [match[0], match[2], match[1]]
}

const IS_MOSTLY_OTHER = /^(?:may|march|mar|jan|jun|dec|sep)$/i
const IS_WRITTEN_AS_MONTH = /^M(?:arch|ay)$/

function monthAlone(text: string, isName: (word: string) => boolean): string | undefined {
  for (const { index, 1: before, 2: month = '', 3: year } of text.matchAll(MONTH_ALONE)) {
    if (before !== undefined || year !== undefined) return month
    const isMonth = !IS_MOSTLY_OTHER.test(month) || (IS_WRITTEN_AS_MONTH.test(month) && !isFirst(text, index))
    if (isMonth && !isName(month)) return month
  }
  return undefined
}

/** A sentence begins with a capital whatever the word. */
function isFirst(text: string, index: number): boolean {
  return /(?:^|[.!?])\s*$/.test(text.slice(Math.max(0, index - 3), index))
}

function monthNumber(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase())
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A day begins so much earlier than in Greenwich and ends so much later, depending on where one lives. */
const EARLIEST_MS = 14 * HOUR_MS
const LATEST_MS = 12 * HOUR_MS

/** How near something was said to the time that a question names, 0 to 1: things are told when they happen or soon after. */
export function nearness({ year, month, day }: TimeHint, at: number): number {
  if (month === null) return year === null ? 0 : within(at, Date.UTC(year, 0), Date.UTC(year + 1, 0))
  const said = new Date(at).getUTCFullYear()
  const years = year === null ? [said - 1, said, said + 1] : [year]
  return Math.max(
    ...years.map((one) =>
      day === null ? nearMonth(at, one, month) : nearDay(at, Date.UTC(one, month, day)),
    ),
  )
}

function nearDay(at: number, start: number): number {
  const since = at - start
  if (since >= -EARLIEST_MS && since <= 7 * DAY_MS) return 1
  return since > -3 * DAY_MS && since <= 14 * DAY_MS ? 0.5 : 0
}

function nearMonth(at: number, year: number, month: number): number {
  const end = Date.UTC(year, month + 1)
  if (within(at, Date.UTC(year, month), end) === 1) return 1
  return at >= end && at < end + 10 * DAY_MS ? 0.5 : 0
}

function within(at: number, from: number, to: number): number {
  return at >= from - EARLIEST_MS && at < to + LATEST_MS ? 1 : 0
}
