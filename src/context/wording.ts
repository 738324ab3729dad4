import type { Author } from '../event/event.ts'

/** How the host's own words look in a prompt. What was once written is stored; these make new messages. */

/** What the host begins a message with. People may type the same, so it is escaped for them. */
const HOST_OPENING =
  /^\s*\\*\[\s*(?:(?:routine|routine-bg|reminder|reminder-bg|webhook)\s*:|(?:fork-started|fork-timeout|button|system)\s*\]|note\s+from\b|\d{4,}-\d\d-\d\d\s)/i

/** What no reader sees, so that `[system]` with such a character inside looks like the host's tag. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu

/**
 * Typed text that could be taken for the host's own gets a backslash, so that nobody speaks in its name. One that has
 * backslashes there already gets one more: different texts stay different.
 */
export function escapeTyped(text: string): string {
  return HOST_OPENING.test(text.replaceAll(UNSEEN, '')) ? text.replace(/[\\[]/, String.raw`\$&`) : text
}

export function noteLabel(author: Author): string {
  switch (author.by) {
    case 'person':
      return '[note from the person]'
    case 'model':
      return '[note from the model]'
    case 'policy':
      return '[note from the host]'
  }
}

const SHORT_DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const

/** `[2026-03-01 Sun 09:30 Europe/Berlin]` */
export function timeLine(at: number, zone: string): string {
  const { date, time } = clockIn(at, zone)
  return `[${date} ${dayOfWeek(date)} ${time} ${zone}]`
}

/** Not read from the text of a date: that has no place for years of five digits. */
function dayOfWeek(date: string): string | undefined {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return SHORT_DAYS[new Date(new Date(0).setUTCFullYear(year, month - 1, day)).getUTCDay()]
}

/** The date and the time that a clock on the wall shows there. */
export function clockIn(at: number, zone: string): { readonly date: string; readonly time: string } {
  const parts = new Map(
    formatFor(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  const part = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? ''
  return {
    date: `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}`,
  }
}

/** Making a format takes much longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatFor(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  formats.set(zone, format)
  return format
}
