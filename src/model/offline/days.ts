/** Days that a question names, and the question without them. */
export interface Days {
  readonly text: string
  readonly since?: string
  readonly until?: string
}

const DATED =
  /(?:^|\s)(?:(since|after|before|until|on|from|in|during) )?(\d{4}-\d\d(?:-\d\d)?)(?=[\s,.?!]|$)/iu
const SPOKEN =
  /(?:^|\s)(?:(since) )?(today|yesterday|this week|last week|this month|last month)(?=[\s,.?!]|$)/iu

/** Without `today`, words such as yesterday stay in the text: nobody knows then which day they mean. */
export function daysIn(text: string, today: string | undefined): Days {
  const found = DATED.exec(text) ?? (today === undefined ? null : SPOKEN.exec(text))
  if (found === null) return { text }
  const [whole, link = '', day = ''] = found
  const rest = text.replace(whole, ' ').replaceAll(/\s+/gu, ' ').trim()
  return { text: rest, ...reach(link.toLowerCase(), spanOf(day.toLowerCase(), today ?? day)) }
}

type Span = Required<Omit<Days, 'text'>>

function reach(link: string, { since, until }: Span): Partial<Span> {
  if (link === 'since' || link === 'after') return { since }
  if (link === 'until') return { until }
  return link === 'before' ? { until: dayBefore(since, 1) } : { since, until }
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
    case 'last month': {
      const month = dayBefore(`${today.slice(0, 7)}-01`, 1).slice(0, 7)
      return { since: month, until: month }
    }
    default:
      return { since: day, until: day }
  }
}

/** A month is the same as its first day. What is no day is left as it is: whoever looks for it says so. */
function dayBefore(day: string, count: number): string {
  const at = Date.parse(`${day.length === 7 ? `${day}-01` : day}T00:00Z`)
  return Number.isNaN(at) ? day : new Date(at - count * 86_400_000).toISOString().slice(0, 10)
}
