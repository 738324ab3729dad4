/** A routine's five fields as words, and words as five fields. What cannot be said shortly stays as it is. */

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** `30 8 * * 1-5` → `weekdays at 08:30`; undefined: it takes too many words. */
export function cronWords(cron: string): string | undefined {
  const [minute = '', hour = '', date = '', month = '', weekday = '', ...more] = cron.trim().split(/\s+/)
  if (more.length > 0 || weekday === '') return undefined
  const [time, days] = [timeWords(minute, hour), dayWords({ date, month, weekday })]
  if (time === undefined || days === undefined) return undefined
  if (!time.startsWith('every')) return `${days} at ${time}`
  return days === 'every day' ? time : `${time}, ${days}`
}

/** `08:30`, `09:00 and 18:00`, `every 15 min`, `every hour at :05` */
function timeWords(minute: string, hour: string): string | undefined {
  const step = /^\*\/(\d+)$/.exec(minute)?.[1]
  if (hour === '*') {
    if (minute === '*' || step === '1') return 'every minute'
    if (step !== undefined && 60 % Number(step) === 0) return `every ${step} min`
    return /^\d+$/.test(minute) ? `every hour at :${minute.padStart(2, '0')}` : undefined
  }
  const hours = /^\*\/(\d+)$/.exec(hour)?.[1]
  if (hours !== undefined && minute === '0' && 24 % Number(hours) === 0) return `every ${hours} hours`
  const minutes = numbersIn(minute, 60)
  const at = numbersIn(hour, 24)
  if (minutes === undefined || at === undefined || minutes.length * at.length > 4) return undefined
  return joined(at.flatMap((h) => minutes.map((m) => `${pad(h)}:${pad(m)}`)))
}

function dayWords({ date, month, weekday }: { date: string; month: string; weekday: string }) {
  const inMonth = month === '*' ? '' : monthWords(month)
  if (inMonth === undefined || (date !== '*' && weekday !== '*')) return undefined
  if (date !== '*') {
    const dates = numbersIn(date, 32)
    if (dates === undefined || dates.length > 4) return undefined
    return `on the ${joined(dates.map(ordinal))}${inMonth === '' ? ' of the month' : ` of ${inMonth}`}`
  }
  const days = weekdayWords(weekday)
  return days && (inMonth === '' ? days : `${days} in ${inMonth}`)
}

function weekdayWords(field: string): string | undefined {
  const plain = field
    .toLowerCase()
    .replaceAll(/[a-z]+/g, (name) => String(DAYS.findIndex((day) => day.toLowerCase().startsWith(name))))
  if (plain === '*') return 'every day'
  const days = [...new Set(numbersIn(plain, 8)?.map((day) => day % 7) ?? [])].toSorted((a, b) => a - b)
  if (days.join() === '1,2,3,4,5') return 'weekdays'
  if (days.join() === '0,6') return 'weekends'
  if (days.length === 7) return 'every day'
  if (days.length === 0) return undefined
  // A week begins on Monday.
  const inWeek = days.toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7))
  return joined(inWeek.map((day) => `${DAYS[day]}s`))
}

function monthWords(field: string): string | undefined {
  const months = numbersIn(field, 13)
  return months && months.length <= 4 ? joined(months.map((one) => MONTHS[one - 1] ?? '')) : undefined
}

/** `1,3-5` → 1, 3, 4, 5; undefined: it is something else. */
function numbersIn(field: string, end: number): number[] | undefined {
  const found = field.split(',').flatMap((piece) => {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(piece) ?? []
    if (from === undefined) return Number.NaN
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index)
  })
  return found.length > 0 && found.every((one) => one >= 0 && one < end) ? found : undefined
}

function joined(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

function ordinal(date: number): string {
  const end = date % 10 < 4 && Math.floor(date / 10) !== 1 ? ['th', 'st', 'nd', 'rd'][date % 10] : 'th'
  return `${date}${end}`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}

/** `weekdays at 8:30` → `30 8 * * 1-5`; a cron stays one; undefined: it cannot be read. */
export function cronOf(words: string): string | undefined {
  const text = words.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  if (/^[\d*][\d*,/-]*( \S+){4}$/.test(text)) return text
  return often(text) ?? daily(text)
}

function often(text: string): string | undefined {
  const [, count = '1', unit] =
    /^(?:every )?(\d+)? ?(minutes?|mins?|hours?|h)$/.exec(text.replace(/^hourly$/, 'every hour')) ?? []
  const number = Number(count)
  if (unit === undefined || number < 1) return undefined
  if (unit.startsWith('m')) return number < 60 ? `${number === 1 ? '*' : `*/${number}`} * * * *` : undefined
  return number < 24 ? `0 ${number === 1 ? '*' : `*/${number}`} * * *` : undefined
}

const CLOCK = /(?:\b(?:at|and|,) ?)?\b(\d{1,2})(?:[:.](\d{2}))? ?(am|pm)?\b|\b(noon|midnight)\b/g

/** `weekdays at 8:30`, `mondays and thursdays 18:00`, `on the 1st at 9`, `every day at 9 and 18` */
function daily(text: string): string | undefined {
  const [, dates] =
    /\b(?:on )?the ((?:\d{1,2}(?:st|nd|rd|th)(?:,? ?(?:and )?))+)(?: ?of (?:the|every|each) month)?/.exec(
      text,
    ) ?? []
  const rest = dates === undefined ? text : text.replace(dates, ' ')
  const times = [...rest.matchAll(CLOCK)].map(clockOf)
  if (times.length === 0 || times.includes(undefined)) return undefined
  const minutes = new Set(times.map((time) => time?.minute))
  if (minutes.size > 1) return undefined
  const when = `${[...minutes].join()} ${times.map((time) => time?.hour).join()}`
  if (dates !== undefined) return `${when} ${[...dates.matchAll(/\d+/g)].map(([date]) => date).join()} * *`
  const days = daysOf(rest.replaceAll(CLOCK, ' '))
  return days && `${when} * * ${days}`
}

function clockOf([, hour, minute = '0', half, named]: RegExpMatchArray) {
  if (named !== undefined) return { hour: named === 'noon' ? 12 : 0, minute: 0 }
  const shown = Number(hour)
  if (half !== undefined && (shown < 1 || shown > 12)) return undefined
  const at = half === undefined ? shown : (shown % 12) + (half === 'pm' ? 12 : 0)
  return at < 24 && Number(minute) < 60 ? { hour: at, minute: Number(minute) } : undefined
}

function daysOf(text: string): string | undefined {
  const words = text.split(/[ ,]+/).filter((word) => !/^(?:|every|each|on|at|and|the|o'?clock)$/.test(word))
  if (words.length === 0 || /^(?:days?|daily)$/.test(words.join(' '))) return '*'
  const days = words.map((word) => {
    if (/^(?:weekdays?|workdays?)$/.test(word)) return '1-5'
    if (/^weekends?$/.test(word)) return '0,6'
    const day = DAYS.findIndex((name) => word.length > 2 && `${name.toLowerCase()}s`.startsWith(word))
    return day < 0 ? undefined : String(day)
  })
  return days.includes(undefined) ? undefined : days.join()
}
