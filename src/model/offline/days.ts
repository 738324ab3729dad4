/** Days that a question names, and the question without them. */
export interface Days {
  readonly text: string
  readonly since?: string
  readonly until?: string
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const

const LINK = '(since|after|before|until|till|up to|on|from|in|during)'
const MONTH = `(?:${MONTHS.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)`
const YEAR = '(?:19|20)\\d\\d'
/** Not a month without its year: "the trip in May" says which trip, not when it was talked about. */
const DATE = [
  '\\d{4}-\\d\\d(?:-\\d\\d)?',
  `(?:the )?\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH},? ${YEAR}`,
  `${MONTH} \\d{1,2}(?:st|nd|rd|th)?,? ${YEAR}`,
  `${MONTH},? ${YEAR}`,
].join('|')
const END = '(?=[\\s,.?!]|$)'

const BETWEEN = new RegExp(
  `(?:^|\\s)(?:between|from|since) (${DATE}|${YEAR}) (?:and|to|until|till) (${DATE}|${YEAR})${END}`,
  'iu',
)
const DATED = new RegExp(`(?:^|\\s)(?:${LINK} )?(${DATE})${END}`, 'iu')
/** Only after such a word: other numbers of four digits are no years. */
const YEARLY = new RegExp(`(?:^|\\s)${LINK.replace('|on|', '|')} (${YEAR})${END}`, 'iu')
const SPOKEN =
  /(?:^|\s)(?:(since) )?(today|yesterday|this week|last week|this month|last month|this year|last year)(?=[\s,.?!]|$)/iu

/** Without `today`, words such as yesterday stay in the text: nobody knows then which day they mean. */
export function daysIn(text: string, today: string | undefined): Days {
  const both = BETWEEN.exec(text)
  if (both !== null) {
    const [whole, from = '', to = ''] = both
    return { text: without(text, whole), since: dateOf(from), until: dateOf(to) }
  }
  const found = DATED.exec(text) ?? YEARLY.exec(text) ?? (today === undefined ? null : SPOKEN.exec(text))
  if (found === null) return { text }
  const [whole, link = '', day = ''] = found
  return {
    text: without(text, whole),
    ...reach(link.toLowerCase(), spanOf(day.toLowerCase(), today ?? '')),
  }
}

type Span = Required<Omit<Days, 'text'>>

/** "Since March 2025 about Rome" is about Rome. */
function without(text: string, whole: string): string {
  const rest = text.replace(whole, ' ').replaceAll(/\s+/gu, ' ').trim()
  return text.trim().startsWith(whole.trim()) ? rest.replace(/^(?:about|regarding|concerning) /iu, '') : rest
}

function reach(link: string, { since, until }: Span): Partial<Span> {
  switch (link) {
    case 'since':
      return { since }
    case 'after':
      return { since: dayAfter(until) }
    case 'until':
    case 'till':
    case 'up to':
      return { until }
    case 'before':
      return { until: dayBefore(since, 1) }
    default:
      return { since, until }
  }
}

function spanOf(day: string, today: string): Span {
  switch (day) {
    case 'today':
      return { since: today, until: today }
    case 'yesterday':
      return { since: dayBefore(today, 1), until: dayBefore(today, 1) }
    case 'this week':
      return { since: dayBefore(today, 7), until: today }
    // Where a week begins is a matter of taste: rather too much than too little.
    case 'last week':
      return { since: dayBefore(today, 14), until: dayBefore(today, 1) }
    case 'this month':
      return { since: today.slice(0, 7), until: today }
    case 'last month':
      return allOf(dayBefore(today.slice(0, 7), 1).slice(0, 7))
    case 'this year':
      return { since: today.slice(0, 4), until: today }
    case 'last year':
      return allOf(dayBefore(today.slice(0, 4), 1).slice(0, 4))
    default:
      return allOf(dateOf(day))
  }
}

function allOf(day: string): Span {
  return { since: day, until: day }
}

/** `2025`, `2025-03` or `2025-03-05`, however it was written. */
function dateOf(written: string): string {
  const [name = ''] = /[a-z]{3,}/iu.exec(written.replace(/^the /iu, '')) ?? []
  const month = MONTHS.findIndex((one) => one.startsWith(name.slice(0, 3).toLowerCase())) + 1
  if (name === '' || month === 0) return written
  const [year = ''] = /\d{4}/u.exec(written) ?? []
  const [day] = /(?<!\d)\d{1,2}(?!\d)/u.exec(written) ?? []
  return [year, month, ...(day === undefined ? [] : [day])]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')
}

const DAY_MS = 86_400_000

/** A month or a year is the same as its first day. What is no day is left as it is: whoever looks for it says so. */
function dayBefore(day: string, count: number): string {
  const at = Date.parse(`${firstOf(day)}T00:00Z`)
  return Number.isNaN(at) ? day : new Date(at - count * DAY_MS).toISOString().slice(0, 10)
}

function firstOf(day: string): string {
  return day + '-01'.repeat(day.length === 4 ? 2 : day.length === 7 ? 1 : 0)
}

/** The first day after all of it. */
function dayAfter(day: string): string {
  if (day.length === 4) return `${Number(day) + 1}-01-01`
  if (day.length > 7) return dayBefore(day, -1)
  // From the first of a month, 31 days later it is the next one.
  return `${dayBefore(day, -31).slice(0, 7)}-01`
}

/** ` on 2026-03-01`, ` in March 2025`, ` since 2027`: as part of a sentence, and empty where no day was named. */
export function whenText({ since, until }: Omit<Days, 'text'>): string {
  if (since === undefined) return until === undefined ? '' : ` up to ${dayText(until)}`
  if (until === undefined) return ` since ${dayText(since)}`
  if (since !== until) return ` from ${dayText(since)} to ${dayText(until)}`
  return ` ${since.length > 7 ? 'on' : 'in'} ${dayText(since)}`
}

function dayText(day: string): string {
  const month = MONTHS[Number(day.slice(5)) - 1]
  if (day.length !== 7 || month === undefined) return day
  return `${month.charAt(0).toUpperCase()}${month.slice(1)} ${day.slice(0, 4)}`
}
