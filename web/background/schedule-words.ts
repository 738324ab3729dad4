/** A routine's five fields as words, and words as five fields. */

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const WORDS_CHARS_MAX = 60

/** `30 8 * * 1-5` → `weekdays at 08:30`; undefined: it takes too many words. */
export function cronWords(cron: string): string | undefined {
  const [minute = '', hour = '', ...dates] = cron.split(' ')
  const [time, days] = [timeWords(minute, hour), dayWords(dates)]
  if (time === undefined || days === undefined) return undefined
  const rare = days === 'every day' ? time : `${time}, ${days}`
  const words = time.startsWith('every') ? rare : `${days} at ${time}`
  return words.length > WORDS_CHARS_MAX ? undefined : words
}

/** `08:30`, `09:00 and 18:00`, `every 15 min`, `every hour at :05` */
function timeWords(minute: string, hour: string): string | undefined {
  const [minutes, hours] = [numbersIn(minute), numbersIn(hour)]
  if (hour === '*') {
    const step = stepOf(minute)
    if (60 % step === 0) return step === 1 ? 'every minute' : `every ${step} min`
    return minutes?.length === 1 ? `every hour at :${two(minute)}` : undefined
  }
  if (minute === '0' && 24 % stepOf(hour) === 0) return `every ${stepOf(hour)} hours`
  return minutes && hours && joined(hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`)))
}

function dayWords([date = '', month = '', weekday = '']: readonly string[]): string | undefined {
  const months = month === '*' ? [] : numbersIn(month)?.map((one) => MONTHS[one - 1] ?? '')
  if (months === undefined) return undefined
  if (date === '*')
    return [weekdayWords(weekday), ...(months.length === 0 ? [] : [joined(months)])].join(' in ')
  const dates = numbersIn(date)
  // With a weekday as well, either of them is enough, which no short words say.
  if (dates === undefined || weekday !== '*') return undefined
  return `on the ${joined(dates.map(ordinal))} of ${joined(months) || 'the month'}`
}

const WEEKS: Readonly<Record<string, string>> = {
  '1234560': 'every day',
  '12345': 'weekdays',
  '60': 'weekends',
}

/** From Monday to Sunday, which is 0 or 7, whatever order the field has. */
function weekdayWords(field: string): string | undefined {
  const plain = field.replace('*', '0-6').toLowerCase()
  const numbers = numbersIn(plain.replaceAll(/[a-z]+/g, (name) => dayOf(name) ?? name))
  const days = [1, 2, 3, 4, 5, 6, 0].filter((day) => numbers?.some((one) => one % 7 === day))
  return WEEKS[days.join('')] ?? (days.length === 0 ? undefined : joined(days.map((day) => `${DAYS[day]}s`)))
}

/** The 15 of a star with `/15`, 1 of a star. */
function stepOf(field: string): number {
  return field === '*' ? 1 : Number(/^\*\/(\d+)$/.exec(field)?.[1])
}

/** `1,3-5` → 1, 3, 4, 5; undefined: it is something else. */
function numbersIn(field: string): number[] | undefined {
  if (!/^\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*$/.test(field)) return undefined
  return field.split(',').flatMap((piece) => {
    const [from = 0, to = from] = piece.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}

function two(value: number | string): string {
  return String(value).padStart(2, '0')
}

function joined(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

function ordinal(date: number): string {
  const end = date % 10 < 4 && Math.floor(date / 10) !== 1 ? ['th', 'st', 'nd', 'rd'][date % 10] : 'th'
  return `${date}${end}`
}

/** Words that say nothing about when. */
const FILLING = /^(?:|every|each|on|at|and|of|the|days?|daily|month|o'?clock)$/

/**
 * `weekdays at 8:30` → `30 8 * * 1-5`; five fields stay as they are; undefined: it cannot be read. Whether there is such
 * an hour or date is checked with the whole file.
 */
export function cronOf(words: string): string | undefined {
  const text = words.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  if (/^[\d*][\d*,/-]*( \S+){4}$/.test(text)) return text
  const [, count = '1', unit] =
    /^(?:every )?(\d+)? ?(m|h)(?:in|inutes?|ins|ours?)?$/.exec(text.replace('hourly', 'hour')) ?? []
  if (unit !== undefined) return often(Number(count), unit === 'm' ? 60 : 24)
  const [hours, minutes, dates, days] = [[], new Set(), [], []] as [number[], Set<number>, string[], string[]]
  const plain = text
    .replace('noon', '12')
    .replace('midnight', '0')
    .replaceAll(/ (?=[ap]m\b)/g, '')
  for (const word of plain.split(/[ ,]+/)) {
    const [, number, minute = '0', half, nth] =
      /^(\d{1,2})(?:[:.](\d\d))?(?:(am|pm)|(st|nd|rd|th))?$/.exec(word) ?? []
    const day = dayOf(word)
    if (number !== undefined && nth !== undefined) dates.push(number)
    else if (number !== undefined) {
      hours.push(half === undefined ? Number(number) : (Number(number) % 12) + (half === 'pm' ? 12 : 0))
      minutes.add(Number(minute))
    } else if (day !== undefined) days.push(day)
    else if (!FILLING.test(word)) return undefined
  }
  // 9:00 and 10:30 would be four times, not two.
  if (minutes.size !== 1) return undefined
  return `${[...minutes].join()} ${hours.join()} ${dates.join() || '*'} * ${days.join() || '*'}`
}

/** Every 45 minutes is no cron: it begins again with each hour. */
function often(step: number, whole: 60 | 24): string | undefined {
  if (whole % step !== 0) return undefined
  const field = step === 1 ? '*' : `*/${step}`
  return whole === 60 ? `${field} * * * *` : `0 ${field} * * *`
}

function dayOf(word: string): string | undefined {
  if (/^(?:week|work)days?$/.test(word)) return '1-5'
  if (/^weekends?$/.test(word)) return '0,6'
  const day = DAYS.findIndex((name) => word.length > 2 && `${name.toLowerCase()}s`.startsWith(word))
  return day < 0 ? undefined : String(day)
}
