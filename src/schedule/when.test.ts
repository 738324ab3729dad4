// One table of ways to say a time, beside the naive reading that checks it: whoever changes one needs both.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { whenText } from '../base/time-text.ts'
import { readWhen } from './when.ts'
import { rounds } from '../../test/rounds.ts'

/** A Saturday, 19:10 on the wall. */
const PLACE = { now: Date.parse('2026-11-14T18:10:00Z'), zone: 'Europe/Berlin' }

async function told(text: string, place = PLACE): Promise<string> {
  const read = await readWhen(text, place)
  return 'at' in read ? whenText(read.at, place) : `! ${read.problem}`
}

async function instant(text: string, place: { now: string; zone: string }): Promise<string> {
  const read = await readWhen(text, { now: Date.parse(place.now), zone: place.zone })
  return 'at' in read ? new Date(read.at).toISOString() : read.problem
}

describe('a time that is read', () => {
  test.each([
    ['in 20 minutes', 'today 19:30, in 20 min'],
    ['20m', 'today 19:30, in 20 min'],
    ['90 min', 'today 20:40, in 90 min'],
    ['in 1h30m', 'today 20:40, in 90 min'],
    ['1 h 30 min', 'today 20:40, in 90 min'],
    ['in an hour', 'today 20:10, in 1 h'],
    ['an hour and a half', 'today 20:40, in 90 min'],
    ['half an hour', 'today 19:40, in 30 min'],
    ['in two and a half hours', 'today 21:40, in 3 h'],
    ['In 2 Hours.', 'today 21:10, in 2 h'],
    ['in a few minutes', 'today 19:13, in 3 min'],
    ['1d', 'tomorrow 19:10, in 24 h'],
    ['in 3 days', 'Tuesday 19:10, in 3 days'],
    ['in 3 days at 9:00', 'Tuesday 09:00, in 3 days'],
    ['3 days from now', 'Tuesday 19:10, in 3 days'],
    ['in a month', 'Monday 2026-12-14 19:10, in 30 days'],
    ['tomorrow', 'tomorrow 09:00, in 14 h'],
    ['tomorrow 9:00', 'tomorrow 09:00, in 14 h'],
    ['9am tomorrow', 'tomorrow 09:00, in 14 h'],
    ['tomorrow, at noon', 'tomorrow 12:00, in 17 h'],
    ['tomorrow morning', 'tomorrow 09:00, in 14 h'],
    ['the day after tomorrow 10:00', 'Monday 10:00, in 2 days'],
    ['day after tomorrow', 'Monday 09:00, in 2 days'],
    ['tonight', 'today 22:00, in 3 h'],
    ['in the evening', 'today 20:00, in 50 min'],
    ['midnight', 'tomorrow 00:00, in 5 h'],
    ['20:00', 'today 20:00, in 50 min'],
    ['at 20:00', 'today 20:00, in 50 min'],
    ['9:00', 'tomorrow 09:00, in 14 h'],
    ['19:10', 'tomorrow 19:10, in 24 h'],
    ['half past 8', 'today 20:30, in 80 min'],
    ['18h30', 'tomorrow 18:30, in 23 h'],
    ['friday', 'Friday 09:00, in 6 days'],
    ['on Tue 9am', 'Tuesday 09:00, in 3 days'],
    ['saturday', 'Saturday 2026-11-21 09:00, in 7 days'],
    ['saturday 20:00', 'today 20:00, in 50 min'],
    ['saturday 18:00', 'Saturday 2026-11-21 18:00, in 7 days'],
    ['5 march', 'Friday 2027-03-05 09:00, in 111 days'],
    ['dec 24 at 8pm', 'Thursday 2026-12-24 20:00, in 40 days'],
    ['1.12.2026 9:00', 'Tuesday 2026-12-01 09:00, in 17 days'],
    ['2026-12-01', 'Tuesday 2026-12-01 09:00, in 17 days'],
    ['2026-12-01T09:00', 'Tuesday 2026-12-01 09:00, in 17 days'],
    ['2026-12-01 09:00+02:00', 'Tuesday 2026-12-01 08:00, in 17 days'],
    ['2026-12-01T09:00:00Z', 'Tuesday 2026-12-01 10:00, in 17 days'],
    ['9:00 UTC', 'tomorrow 10:00, in 15 h'],
    ['20:00 utc', 'today 21:00, in 110 min'],
    ['9am PST', 'tomorrow 18:00, in 23 h'],
    ['9pm PST', 'tomorrow 06:00, in 11 h'],
    ['tomorrow 9:00 Europe/London', 'tomorrow 10:00, in 15 h'],
  ])('%s is %s', async (text, expected) => {
    expect(await told(text)).toBe(expected)
  })

  test.each([
    ['in 2 hours', '2026-03-29T00:30:00Z', '2026-03-29T02:30:00.000Z'],
    ['in a few hours', '2026-03-29T00:30:00Z', '2026-03-29T03:30:00.000Z'],
    ['90m', '2026-10-25T00:30:00Z', '2026-10-25T02:00:00.000Z'],
    ['in 10 minutes', '2026-10-25T01:30:00Z', '2026-10-25T01:40:00.000Z'],
    ['24h', '2026-03-28T12:00:00Z', '2026-03-29T12:00:00.000Z'],
    ['1d', '2026-03-28T12:00:00Z', '2026-03-29T11:00:00.000Z'],
    ['in 1 day and 2 hours', '2026-03-28T00:30:00Z', '2026-03-29T02:30:00.000Z'],
    ['tomorrow 2:30', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
    ['tomorrow 2:30', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z'],
    ['in a month', '2027-01-31T08:00:00Z', '2027-02-28T08:00:00.000Z'],
  ])('%s is right where the clock is changed: %s', async (text, now, expected) => {
    expect(await instant(text, { now, zone: 'Europe/Berlin' })).toBe(expected)
  })

  test('a day of the week without a time is never today', async () => {
    const place = { ...PLACE, now: Date.parse('2026-11-14T06:00:00Z') }
    expect(await told('saturday', place)).toBe('Saturday 2026-11-21 09:00, in 7 days')
    expect(await told('saturday 9:00', place)).toBe('today 09:00, in 2 h')
  })

  test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/New_York', 'Asia/Kathmandu'])(
    'is a time of the person, not of the machine, in %s',
    async (zone) => {
      for (const hour of [0, 5, 11, 17, 23]) {
        const place = { now: Date.UTC(2026, 10, 14, hour, 20), zone }
        expect(await told('tomorrow 9:00', place)).toMatch(/^tomorrow 09:00, /)
        expect(await told('the day after tomorrow 9:00', place)).toMatch(/^[A-Z]\w+day 09:00, in 2 days$/)
        expect(await told('in 7 days at 9:00', place)).toMatch(/ 09:00, in 7 days$/)
        expect(await told('23:59', place)).toMatch(/^today 23:59, /)
      }
    },
  )
})

/** A Sunday. */
const MARCH = { now: Date.parse('2026-03-01T09:30:00Z'), zone: 'UTC' }

describe('a way to say a time', () => {
  test.each([
    ['in 1h30', 'today 11:00'],
    ['within 2h15', 'today 11:45'],
    ['in half an hour', 'today 10:00'],
    ['in an hour', 'today 10:30'],
    ['in a couple of hours', 'today 11:30'],
    ['9 p.m.', 'today 21:00'],
    ['9p.m. tomorrow', 'tomorrow 21:00'],
    ['nine p.m.', 'today 21:00'],
    ['noon', 'today 12:00'],
    ['midnight', 'tomorrow 00:00'],
    ['end of the day', 'today 18:00'],
    ['by the end of the day', 'today 18:00'],
    ['end of day tomorrow', 'tomorrow 18:00'],
    ['next week', 'Sunday 2026-03-08 09:00'],
    ['next week at 10', 'Sunday 2026-03-08 10:00'],
    ['next month', 'Wednesday 2026-04-01 09:00'],
    ['next year', 'Monday 2027-03-01 09:00'],
    ['this weekend', 'Saturday 09:00'],
    ['the weekend', 'Saturday 09:00'],
    ['the 5th', 'Thursday 09:00'],
    ['5th', 'Thursday 09:00'],
    ['on the 5th at half past seven', 'Thursday 07:30'],
    ['9am on the 5th', 'Thursday 09:00'],
    ['the 1st', 'Wednesday 2026-04-01 09:00'],
    ['the 1st at 10:00', 'today 10:00'],
    ['the 31st', 'Tuesday 2026-03-31 09:00'],
    ['3 December at 8:15', 'Thursday 2026-12-03 08:15'],
    ['December 3rd', 'Thursday 2026-12-03 09:00'],
    ['Dec 3 at 9am', 'Thursday 2026-12-03 09:00'],
    ['the 3rd of December', 'Thursday 2026-12-03 09:00'],
    ['the 3rd of December 2027', 'Friday 2027-12-03 09:00'],
    ['in december', 'Tuesday 2026-12-01 09:00'],
    ['1 march', 'Monday 2027-03-01 09:00'],
    ['1 march 10:00', 'today 10:00'],
    ['29 feb 2028 9:00', 'Tuesday 2028-02-29 09:00'],
  ])('%s is %s', async (text, expected) => {
    expect(await told(text, MARCH)).toMatch(new RegExp(`^${expected}, in `))
  })

  test.each(['29 feb 2027', '31 april', 'the 32nd', 'the 5th of next month', '17', 'friday 5', '0', '13'])(
    'is not guessed: %s',
    async (text) => {
      expect(await told(text, MARCH)).toMatch(/^! Could not read '.+' as a time/)
    },
  )

  test('the 31st is not the 1st of the month behind a shorter one', async () => {
    const place = { now: '2026-04-02T12:00:00Z', zone: 'UTC' }
    expect(await instant('the 31st', place)).toBe('2026-05-31T09:00:00.000Z')
  })

  test.each([
    ['2026-03-06T12:00:00Z', '2026-03-07T09:00:00.000Z'],
    ['2026-03-07T08:00:00Z', '2026-03-07T09:00:00.000Z'],
    ['2026-03-07T09:00:00Z', '2026-03-08T09:00:00.000Z'],
    ['2026-03-08T09:00:00Z', '2026-03-14T09:00:00.000Z'],
  ])('this weekend said at %s is %s', async (now, expected) => {
    expect(await instant('this weekend', { now, zone: 'UTC' })).toBe(expected)
  })
})

describe('an hour of twelve is the next one between 7:00 and 21:59, unless the half of the day is told', () => {
  test.each([
    ['at 5', 'today 17:00'],
    ['at 7', 'today 19:00'],
    ['at 9', 'today 21:00'],
    ['at 10', 'today 10:00'],
    ['at 12', 'today 12:00'],
    ['at nine', 'today 21:00'],
    ["nine o'clock", 'today 21:00'],
    ['at 9 o’clock', 'today 21:00'],
    ['6', 'today 18:00'],
    ['today at 5', 'today 17:00'],
    ['today at 9', 'today 21:00'],
    ['tomorrow at 5', 'tomorrow 17:00'],
    ['tomorrow at 9', 'tomorrow 09:00'],
    ['tomorrow 9', 'tomorrow 09:00'],
    ['friday at 5', 'Friday 17:00'],
    ['sunday at 9', 'today 21:00'],
    ['3 december at 5', 'Thursday 2026-12-03 17:00'],
    ['in 2 days at 5', 'Tuesday 17:00'],
    ['quarter to 9', 'today 20:45'],
    ['a quarter to nine', 'today 20:45'],
    ['quarter past 9', 'today 21:15'],
    ['half past 6', 'today 18:30'],
    ['quarter to 7', 'today 18:45'],
    ['quarter to 10', 'today 09:45'],
    ['quarter to 1', 'today 12:45'],
    ['ten to 9', 'today 20:50'],
    ['25 minutes past 9', 'today 21:25'],
    ['twenty-five past nine', 'today 21:25'],
    ['tomorrow morning at 6', 'tomorrow 06:00'],
    ['at 6 tomorrow morning', 'tomorrow 06:00'],
    ['6 in the morning', 'tomorrow 06:00'],
    ['at six in the morning', 'tomorrow 06:00'],
    ['at 9 in the evening', 'today 21:00'],
    ['8:30 in the evening', 'today 20:30'],
    ['tomorrow afternoon at 3', 'tomorrow 15:00'],
    ['tonight at 8', 'today 20:00'],
    ['tonight at 11', 'today 23:00'],
    ['tonight at 12', 'tomorrow 00:00'],
    ['tonight at 1', 'tomorrow 01:00'],
    ['half past 11 pm', 'today 23:30'],
    ['at twelve am', 'tomorrow 00:00'],
    ['5:00', 'tomorrow 05:00'],
    ['05:00', 'tomorrow 05:00'],
    ['at 05', 'tomorrow 05:00'],
    ['05', 'tomorrow 05:00'],
    ['at 17', 'today 17:00'],
    ['tomorrow at 5:00', 'tomorrow 05:00'],
  ])('%s said at 9:30 is %s', async (text, expected) => {
    expect(await told(text, MARCH)).toMatch(new RegExp(`^${expected}, in `))
  })

  test.each([
    ['at 9', '2026-03-01T08:59:59Z', '2026-03-01T09:00:00.000Z'],
    ['at 9', '2026-03-01T09:00:00Z', '2026-03-01T21:00:00.000Z'],
    ['at 9', '2026-03-01T21:00:00Z', '2026-03-02T09:00:00.000Z'],
    ['at 10', '2026-03-01T10:00:00Z', '2026-03-02T10:00:00.000Z'],
    ['at 6', '2026-03-01T03:00:00Z', '2026-03-01T18:00:00.000Z'],
    ['sunday at 9', '2026-03-01T21:00:00Z', '2026-03-08T09:00:00.000Z'],
  ])('%s said at %s is %s', async (text, now, expected) => {
    expect(await instant(text, { now, zone: 'UTC' })).toBe(expected)
  })

  test('and today it has passed once its last one has', async () => {
    const place = { ...MARCH, now: Date.parse('2026-03-01T21:30:00Z') }
    expect(await told('today at 9', place)).toMatch(/^! 'today at 9' has passed: today 21:00, /)
  })
})

const EXAMPLES = 'Examples: in 20 minutes, 18:30, tomorrow 9:00, Friday 14:00, 2026-08-01T09:00.'

describe('a time that cannot be taken', () => {
  test.each([
    ['', `The time is missing. ${EXAMPLES}`],
    ['soonish', `Could not read 'soonish' as a time. Give only the time. ${EXAMPLES}`],
    [
      'yesterday 9:00',
      `'yesterday 9:00' has passed: yesterday 09:00, 34 h ago. Give a time to come. ${EXAMPLES}`,
    ],
    ['last friday', `'last friday' has passed: yesterday 09:00, 34 h ago. Give a time to come. ${EXAMPLES}`],
    ['this afternoon', `'this afternoon' has passed: today 15:00, 4 h ago. Give a time to come. ${EXAMPLES}`],
    ['now', `'now' is now. Give a time to come. ${EXAMPLES}`],
    [
      'tomorrow 9:00 call mum',
      `Could not read 'tomorrow 9:00 call mum' as a time. Give only the time. ${EXAMPLES}`,
    ],
    ['2040-01-01T09:00', `'2040-01-01T09:00' is more than ten years ahead. Give an earlier time.`],
    ['in 99999999 days', `'in 99999999 days' is more than ten years ahead. Give an earlier time.`],
    ['2026-02-30T09:00', `'2026-02-30T09:00' is not a time: there is no such date or time. ${EXAMPLES}`],
    ['x'.repeat(501), `The time is longer than 500 characters. ${EXAMPLES}`],
  ])('is explained: %s', async (text, problem) => {
    expect(await readWhen(text, PLACE)).toEqual({ problem })
  })
})

test('any text has an answer, soon', async () => {
  const word = fc.constantFrom(
    ..."in at on the tomorrow friday 9:00 20 m minutes hours 99999 5pm UTC get march 31 -5 2026-02-30 T09:00 ago next last + : , / · İ nine quarter past to half o'clock p.m. the 5th 29 feb 6 end of day weekend 1h30 morning night at".split(
      ' ',
    ),
  )
  const text = fc.oneof(
    fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
    fc.array(word, { maxLength: 90 }).map((words) => words.join('')),
    fc.string({ unit: 'binary', maxLength: 520 }),
  )
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Apia'), async (given, zone) => {
      const place = { now: PLACE.now, zone }
      const read = await readWhen(given, place)
      if ('problem' in read) return
      expect(read.at).toBeGreaterThan(place.now)
      expect(whenText(read.at, place)).toMatch(/^\S+( \d{4}-\d\d-\d\d)? \d\d:\d\d, in \d+ (s|min|h|days)$/)
    }),
    { numRuns: rounds(400) },
  )
})

interface Said {
  readonly text: string
  readonly fits: (slot: Slot, today: Slot) => boolean
}

/** A quarter of an hour, as the clock on the wall shows it. */
interface Slot {
  readonly at: number
  readonly day: number
  readonly date: number
  readonly month: number
  readonly weekday: number
  readonly minute: number
}

const QUARTER_MS = 900_000
const SLOTS_FROM = Date.UTC(2025, 11, 31)
const tables = new Map<string, readonly Slot[]>()

/** Every quarter of an hour from the end of 2025 to the spring of 2028. */
function slotsOf(zone: string): readonly Slot[] {
  const known = tables.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  const slots: Slot[] = []
  for (let hour = SLOTS_FROM; hour < Date.UTC(2028, 3); hour += 4 * QUARTER_MS) {
    const [year = 0, month = 0, date = 0, hours = 0] = format.format(hour).split(/\D/).map(Number)
    const day = Date.UTC(year, month - 1, date) / 86_400_000
    const shown = { day, date, month, weekday: new Date(day * 86_400_000).getUTCDay() }
    for (const quarter of [0, 1, 2, 3])
      slots.push({ at: hour + quarter * QUARTER_MS, ...shown, minute: hours * 60 + quarter * 15 })
  }
  tables.set(zone, slots)
  return slots
}

/** Without counting: the first quarter of an hour to come that fits what was said. */
function naively({ fits }: Said, { now, zone }: { now: number; zone: string }): number | undefined {
  const slots = slotsOf(zone)
  const current = Math.floor((now - SLOTS_FROM) / QUARTER_MS)
  const today = slots[current]
  return today && slots.slice(current).find((slot) => slot.at > now && fits(slot, today))?.at
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const HOURS = 'twelve one two three four five six seven eight nine ten eleven'.split(' ')

function ordinal(day: number): string {
  const ending = Math.floor(day / 10) === 1 ? undefined : ['th', 'st', 'nd', 'rd'][day % 10]
  return `${day}${ending ?? 'th'}`
}

const monthDay = fc
  .record({ month: fc.integer({ min: 0, max: 11 }), part: fc.nat(), form: fc.nat(6) })
  .map(({ month, part, form }): Said => {
    const day = (part % (LENGTHS[month] ?? 1)) + 1
    const name = MONTHS[month] ?? ''
    const forms = [
      `${day} ${name}`,
      `${name} ${day}`,
      `${name.slice(0, 3)} ${day}`,
      `${day} ${name.slice(0, 3).toLowerCase()}`,
      `${name} ${ordinal(day)}`,
      `${ordinal(day)} ${name}`,
      `the ${ordinal(day)} of ${name}`,
    ]
    return {
      text: forms[form] ?? '',
      fits: (slot) => slot.month === month + 1 && slot.date === day,
    }
  })

const spokenDay = fc.oneof(
  { arbitrary: monthDay, weight: 3 },
  fc
    .integer({ min: 1, max: 31 })
    .map((date): Said => ({ text: `the ${ordinal(date)}`, fits: (slot) => slot.date === date })),
  fc.record({ weekday: fc.nat(6), length: fc.constantFrom(3, 9) }).map(({ weekday, length }): Said => ({
    text: (WEEKDAYS[weekday] ?? '').slice(0, length),
    fits: (slot) => slot.weekday === weekday,
  })),
  fc
    .constantFrom<[string, number]>(
      ['tomorrow', 1],
      ['the day after tomorrow', 2],
      ['next week', 7],
      ['in 3 days', 3],
    )
    .map(([text, days]): Said => ({ text, fits: (slot, today) => slot.day === today.day + days })),
)

function atMinute(text: string, minute: number): Said {
  return { text, fits: (slot) => slot.minute === minute }
}

function awake(text: string, minute: number): Said {
  return {
    text,
    fits: (slot) => slot.minute % 720 === minute % 720 && slot.minute >= 420 && slot.minute < 1_320,
  }
}

/** No clock of these zones is put forward or back at such a time. */
const spokenClock = fc
  .record({ hour: fc.integer({ min: 4, max: 23 }), quarter: fc.nat(3), form: fc.nat(12) })
  .map(({ hour, quarter, form }): Said => {
    const [minute, twelve] = [quarter * 15, hour % 12 === 0 ? 12 : hour % 12]
    const [half, word] = [hour < 12 ? 'am' : 'pm', HOURS[hour % 12] ?? '']
    const figures = `:${String(minute).padStart(2, '0')}`
    const part = hour < 12 ? 'in the morning' : hour < 18 ? 'in the afternoon' : 'in the evening'
    const forms = [
      atMinute(`at ${hour}${figures}`, hour * 60 + minute),
      atMinute(`${String(hour).padStart(2, '0')}${figures}`, hour * 60 + minute),
      atMinute(`${twelve}${half}`, hour * 60),
      atMinute(`at ${twelve}${figures} ${half}`, hour * 60 + minute),
      atMinute(`${twelve} ${half[0] ?? ''}.m.`, hour * 60),
      atMinute(`at ${word} ${part}`, hour * 60),
      atMinute('noon', 720),
      awake(`at ${twelve}`, hour * 60),
      awake(`at ${word}`, hour * 60),
      awake(`${word} o'clock`, hour * 60),
      awake(`quarter to ${twelve}`, hour * 60 - 15),
      awake(`quarter past ${word}`, hour * 60 + 15),
      awake(`half past ${twelve}`, hour * 60 + 30),
    ]
    return forms[form] ?? atMinute('noon', 720)
  })

const dayAndClock = fc
  .record({ day: spokenDay, clock: spokenClock, form: fc.nat(2) })
  .map(({ day, clock, form }): Said => {
    const isNamed = !/^(?:tom|in|next|the day)/.test(day.text)
    const behind = `${clock.text} ${isNamed ? 'on ' : ''}${day.text}`
    const text = [`${day.text} ${clock.text}`, `${day.text}, ${clock.text}`, behind][form] ?? behind
    return { text, fits: (slot, today) => day.fits(slot, today) && clock.fits(slot, today) }
  })

/** In the morning, and a day of the week alone is not today. */
const dayAlone = spokenDay
  .filter(({ text }) => text !== 'in 3 days')
  .map(({ text, fits }): Said => ({
    text,
    fits: (slot, today) =>
      slot.minute === 540 && fits(slot, today) && !(/^[A-Z]\w+$/.test(text) && slot.day === today.day),
  }))

const QUARTERS_OF_2026 = 365 * 96
const reference = fc.record({
  now: fc
    .record({ quarter: fc.nat(QUARTERS_OF_2026 - 1), seconds: fc.constantFrom(0, 0, 1, 431, 899) })
    .map(({ quarter, seconds }) => Date.UTC(2026, 0, 1) + quarter * QUARTER_MS + seconds * 1_000),
  zone: fc.constantFrom('Europe/Berlin', 'America/New_York', 'Pacific/Auckland'),
})

test('a time is the first to come that fits what was said, whenever and wherever it is said', async () => {
  const said = fc.oneof(
    { arbitrary: dayAndClock, weight: 3 },
    { arbitrary: dayAlone, weight: 1 },
    { arbitrary: spokenClock, weight: 1 },
  )
  await fc.assert(
    fc.asyncProperty(said, reference, async (phrase, place) => {
      const read = await readWhen(phrase.text, place)
      expect({ text: phrase.text, read }).toEqual({ text: phrase.text, read: { at: naively(phrase, place) } })
    }),
    { numRuns: rounds(400) },
  )
})

test('hours and minutes are counted exactly, whatever the clock on the wall does', async () => {
  const span = fc.oneof(
    fc.integer({ min: 1, max: 600 }).map((minutes) => ({ text: `in ${minutes} minutes`, minutes })),
    fc.integer({ min: 1, max: 72 }).map((hours) => ({ text: `in ${hours}h`, minutes: hours * 60 })),
    fc
      .record({ hours: fc.integer({ min: 1, max: 23 }), minutes: fc.integer({ min: 10, max: 59 }) })
      .map(({ hours, minutes }) => ({ text: `in ${hours}h${minutes}`, minutes: hours * 60 + minutes })),
  )
  await fc.assert(
    fc.asyncProperty(span, reference, async ({ text, minutes }, place) => {
      expect(await readWhen(text, place)).toEqual({ at: place.now + minutes * 60_000 })
    }),
    { numRuns: rounds(200) },
  )
})

describe('how a time is told', () => {
  test.each([
    ['2026-11-14T18:10:00Z', 'today 19:10, now'],
    ['2026-11-14T18:10:40Z', 'today 19:10, in 40 s'],
    ['2026-11-14T19:09:59Z', 'today 20:09, in 1 h'],
    ['2026-11-14T20:10:00Z', 'today 21:10, in 2 h'],
    ['2026-11-14T23:10:00Z', 'tomorrow 00:10, in 5 h'],
    ['2026-11-15T22:59:00Z', 'tomorrow 23:59, in 29 h'],
    ['2026-11-15T23:00:00Z', 'Monday 00:00, in 2 days'],
    ['2026-11-20T22:59:00Z', 'Friday 23:59, in 6 days'],
    ['2026-11-20T23:00:00Z', 'Saturday 2026-11-21 00:00, in 7 days'],
    ['2026-11-14T17:50:00Z', 'today 18:50, 20 min ago'],
    ['2026-11-13T08:00:00Z', 'yesterday 09:00, 34 h ago'],
    ['2026-11-11T08:00:00Z', 'Wednesday 09:00, 3 days ago'],
    ['2026-03-01T08:00:00Z', 'Sunday 2026-03-01 09:00, 258 days ago'],
  ])('%s is %s', (at, text) => {
    expect(whenText(Date.parse(at), PLACE)).toBe(text)
  })
})
