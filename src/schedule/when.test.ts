import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findWhen, readWhen, whenText } from './when.ts'

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
    ['half past 8', 'tomorrow 08:30, in 13 h'],
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

const EXAMPLES = 'Write one such as in 20 minutes, 18:30, tomorrow 9:00, Friday 14:00 or 2026-08-01T09:00.'

describe('a time that cannot be taken', () => {
  test.each([
    ['', `No time is given. ${EXAMPLES}`],
    ['soonish', `'soonish' is no time that can be read. ${EXAMPLES}`],
    [
      'yesterday 9:00',
      `'yesterday 9:00' has passed: yesterday 09:00, 34 h ago. Give a time that is still to come. ${EXAMPLES}`,
    ],
    [
      'last friday',
      `'last friday' has passed: yesterday 09:00, 34 h ago. Give a time that is still to come. ${EXAMPLES}`,
    ],
    [
      'this afternoon',
      `'this afternoon' has passed: today 15:00, 4 h ago. Give a time that is still to come. ${EXAMPLES}`,
    ],
    ['now', `'now' is now. Give a time that is still to come. ${EXAMPLES}`],
    [
      'tomorrow 9:00 call mum',
      `'tomorrow 9:00 call mum' is not only a time: 'call mum' is left. Give the time alone. ${EXAMPLES}`,
    ],
    ['2040-01-01T09:00', `'2040-01-01T09:00' is more than ten years ahead. Give a time that is sooner.`],
    ['in 99999999 days', `'in 99999999 days' is more than ten years ahead. Give a time that is sooner.`],
    ['2026-02-30T09:00', `'2026-02-30T09:00' is no time: there is no such date or time. ${EXAMPLES}`],
    ['x'.repeat(501), `The time is longer than 500 characters. ${EXAMPLES}`],
  ])('is explained: %s', async (text, problem) => {
    expect(await readWhen(text, PLACE)).toEqual({ problem })
  })
})

describe('a time in a sentence', () => {
  test.each([
    ['call mum tomorrow at 9:00', { when: 'tomorrow 09:00', found: 'tomorrow at 9:00', rest: 'call mum' }],
    ['tomorrow 9:00 call mum', { when: 'tomorrow 09:00', found: 'tomorrow 9:00', rest: 'call mum' }],
    ['tomorrow call mum at 9:00', { when: 'tomorrow 09:00', found: 'tomorrow … at 9:00', rest: 'call mum' }],
    ['today call mum at 22:00', { when: 'today 22:00', found: 'today … at 22:00', rest: 'call mum' }],
    [
      'remind me in 20 minutes to look',
      { when: 'today 19:30', found: 'in 20 minutes', rest: 'remind me to look' },
    ],
    ['20m tea', { when: 'today 19:30', found: '20m', rest: 'tea' }],
    ['in 2 hours: tea', { when: 'today 21:10', found: 'in 2 hours', rest: 'tea' }],
    ['in an hour, tea', { when: 'today 20:10', found: 'in an hour', rest: 'tea' }],
    ['in 3 days at 9:00 call', { when: 'Tuesday 09:00', found: 'in 3 days at 9:00', rest: 'call' }],
    ['pay rent on dec 1', { when: 'Tuesday 2026-12-01 09:00', found: 'dec 1', rest: 'pay rent' }],
    ['feed the cat in the evening.', { when: 'today 20:00', found: 'evening', rest: 'feed the cat.' }],
    [
      'see at 20:00 what happened yesterday',
      { when: 'today 20:00', found: 'at 20:00', rest: 'see what happened yesterday' },
    ],
    ['at 9:00 get milk', { when: 'tomorrow 09:00', found: 'at 9:00', rest: 'get milk' }],
    ['in 2 hours wet the plants', { when: 'today 21:10', found: 'in 2 hours', rest: 'wet the plants' }],
    [
      'boil it for 10 minutes at 20:00',
      { when: 'today 20:00', found: 'at 20:00', rest: 'boil it for 10 minutes' },
    ],
    [
      'on Monday file the March report',
      { when: 'Monday 09:00', found: 'on Monday', rest: 'file the March report' },
    ],
  ])('is found and taken out: %s', async (text, { when, found, rest }) => {
    const result = await findWhen(text, PLACE)
    expect(result).toEqual({ at: result?.at, found, rest })
    expect(whenText(result?.at ?? 0, PLACE)).toMatch(new RegExp(`^${when}, `))
  })

  test.each([
    'call mum',
    'talk about yesterday',
    'boil eggs for 10 minutes',
    'I may go',
    'the cat sat there',
    'file the March report',
    'water the plants every friday at 9:00',
    'buy 2 m of cable',
    `tomorrow ${'x'.repeat(500)}`,
  ])('is not made up: %s', async (text) => {
    expect(await findWhen(text, PLACE)).toBe(undefined)
  })
})

test('any text has an answer, soon', async () => {
  const word = fc.constantFrom(
    ...'in at on the tomorrow friday 9:00 20 m minutes hours 99999 5pm UTC get march 31 -5 2026-02-30 T09:00 ago next last + : , / · İ'.split(
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
      const start = performance.now()
      const read = await readWhen(given, place)
      const found = await findWhen(given, place)
      expect(performance.now() - start).toBeLessThan(1_000)
      for (const at of ['at' in read ? read.at : undefined, found?.at]) {
        if (at === undefined) continue
        expect(at).toBeGreaterThan(place.now)
        expect(whenText(at, place)).toMatch(/^\S+( \d{4}-\d\d-\d\d)? \d\d:\d\d, in \d+ (s|min|h|days)$/)
      }
    }),
    { numRuns: 400 },
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
