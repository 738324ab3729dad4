export const NUMBER =
  '(?:\\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|twenty-five|thirty|forty|forty-five|fifty|sixty|ninety)'
export const SPAN_UNIT =
  '(?:s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?|w(?:(?:ee)?ks?)?|months?|years?|fortnights?)'
export const WEEKDAY =
  '(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)'
export const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'

interface Spoken {
  readonly sort: string
  readonly text: string
}

/** In the words that every reader of times knows; the day stands before the time of day. */
export function spelledWhen(pieces: readonly Spoken[], today: string | undefined): string {
  const isTonight = pieces.some(({ text }) => /^tonight$/iu.test(text))
  const order = ['span', 'day', 'part', 'clock', 'vague']
  const inOrder = pieces.toSorted((a, b) => order.indexOf(a.sort) - order.indexOf(b.sort))
  const clock = inOrder.find(({ sort }) => sort === 'clock')
  const evening = inOrder.some(({ sort, text }) => sort === 'part' && /afternoon|evening|night/iu.test(text))
  // Midnight of today has passed, and the one that is meant is the next one.
  if (isTonight && /midnight/iu.test(clock?.text ?? '')) return 'midnight'
  const texts = inOrder.flatMap(({ sort, text }) => {
    if (sort === 'clock') return [clockText(text, { isLate: evening || isTonight })]
    if (sort === 'span') return [spanText(text)]
    if (sort === 'day') return [dayText(text, today)]
    // With a time of day, the part of the day is said by am and pm.
    return clock === undefined ? [text.replace(/\b(?:early|late) /iu, '')] : []
  })
  return texts.join(' ').replaceAll(/\s+/gu, ' ').trim()
}

const WORDS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = new Map([
  ['twenty', 20],
  ['thirty', 30],
  ['forty', 40],
  ['fifty', 50],
  ['sixty', 60],
  ['ninety', 90],
])

function inDigits(text: string): string {
  return text.toLowerCase().replaceAll(/[a-z]+(?:-five)?/gu, (word) => {
    const [ten = '', five] = word.split('-')
    const tens = TENS.get(ten)
    if (tens !== undefined) return String(tens + (five === undefined ? 0 : 5))
    const at = WORDS.indexOf(word)
    return at < 0 ? word : String(at)
  })
}

/** Whether an amount is of days and more, which may have a time of day. */
export function amountOf(span: string): 'days' | 'hours' {
  return /\d\s?[dw]\b|days?|weeks?|wks?|months?|years?|fortnight/iu.test(span) ? 'days' : 'hours'
}

function spanText(text: string): string {
  const plain = inDigits(text.replaceAll('-', ' '))
    .replace(/^(?:in|after) /u, '')
    .replace(/^(?:about|around|roughly|exactly|like|maybe) /u, '')
    .replace(/(?:['’]s?)? time$| from now$/u, '')
    .replace(/\banother /u, '1 ')
    .replace(/(\d+)h(\d\d)\b/u, '$1 h $2 min')
    .replace(/3 quarters/u, 'three quarters')
  return `in ${plain}`
}

function clockText(text: string, { isLate }: { isLate: boolean }): string {
  const plain = inDigits(text)
    .replace(/^(?:high )?noon$|^lunch ?time$/u, 'noon')
    .replace(/([ap])\.?m\.?$/u, '$1m')
    .replace(/ (?:o['’]?clock|uhr|h)(?= |$)/u, '')
    .replace(/^(\d+)\.(\d\d)/u, '$1:$2')
    .replace(/^(\d+)h(\d\d)/u, '$1:$2')
  const [, minutes = '', way, hour, half = ''] =
    /^(half|(?:a )?quarter|\d+) (past|to) (\d+)(\s?[ap]m)?$/u.exec(plain) ?? []
  const isPast = way === 'past'
  const spoken = hour === undefined ? plain : pastOrTo({ minutes, isPast, hour: Number(hour) }) + half
  const [, time = spoken, part] =
    /^(.*?) (?:in the|at) (morning|afternoon|evening|night)$/u.exec(spoken) ?? []
  const late = part === undefined ? isLate : part !== 'morning'
  const [, hours] = /^(\d{1,2})(?::\d\d)?$/u.exec(time) ?? []
  if (hours === undefined || Number(hours) > 12 || Number(hours) === 0) return atTime(time)
  // In words it may be of the afternoon: whoever reads it takes the next one at which people are awake.
  const isOpen = hour !== undefined && half === '' && part === undefined && !isLate
  if (isOpen && !/^\d/u.test(minutes)) return atTime(plain)
  if (isOpen && SPOKEN.has(minutes)) return atTime(`${SPOKEN.get(minutes)} ${way} ${hour}`)
  return late ? atTime(`${time} pm`) : part === 'morning' ? atTime(`${time} am`) : atTime(time)
}

const SPOKEN: ReadonlyMap<string, string> = new Map([
  ['5', 'five'],
  ['10', 'ten'],
  ['20', 'twenty'],
  ['25', 'twenty-five'],
])

function atTime(time: string): string {
  return `at ${time}`
}

function pastOrTo({ minutes, isPast, hour }: { minutes: string; isPast: boolean; hour: number }): string {
  const count = minutes === 'half' ? 30 : minutes.endsWith('quarter') ? 15 : Number(minutes)
  const [h, m] = isPast ? [hour, count] : [hour === 1 ? 12 : hour - 1, 60 - count]
  return `${h}:${String(m).padStart(2, '0')}`
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const DAY_MS = 86_400_000

function dayText(text: string, today: string | undefined): string {
  const plain = text
    .toLowerCase()
    .replace(/^(?:tmrw|tmr|tomoz)$/u, 'tomorrow')
    .replace(/^(?:(?:this|the) )?coming /u, '')
    .replace(/^the (?=weekend)/u, 'this ')
    .replace(/^(?:the )?day after/u, 'the day after')
  if (plain.startsWith('the day after')) return plain
  const own = today === undefined ? undefined : dateIn(plain, today)
  return own ?? plain.replaceAll(/\b(?:the|of) /gu, '').replaceAll(/(\d)(?:st|nd|rd|th)\b/gu, '$1')
}

/** Two ways to name a day that depend on today: `the 5th`, `Wednesday next week`. */
function dateIn(plain: string, today: string): string | undefined {
  const start = Date.parse(`${today}T00:00Z`)
  if (Number.isNaN(start)) return undefined
  const [, ordinal] = /\bthe (\d{1,2})(?:st|nd|rd|th)$/u.exec(plain) ?? []
  if (ordinal !== undefined) return nextOrdinal(start, Number(ordinal))
  const [, name] = /\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*\b/u.exec(plain) ?? []
  if (name === undefined || !/next week/u.test(plain)) return undefined
  // A week begins on Monday.
  const monday = start + (7 - ((new Date(start).getUTCDay() + 6) % 7)) * DAY_MS
  return isoDay(monday + ((DAYS.indexOf(name) + 6) % 7) * DAY_MS)
}

const DAYS_AHEAD_MAX = 100

function nextOrdinal(start: number, ordinal: number): string | undefined {
  for (let days = 1; days <= DAYS_AHEAD_MAX; days++) {
    const at = start + days * DAY_MS
    if (new Date(at).getUTCDate() === ordinal) return isoDay(at)
  }
  return undefined
}

function isoDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
