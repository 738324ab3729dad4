import { describe, expect, test } from 'vitest'
import { nearness, timeHintIn, type TimeHint } from './time-hint.ts'

const hint = (year: number | null, month: number | null, day: number | null): TimeHint => ({
  year,
  month,
  day,
})
const MAY = 4
const isName = (word: string) => /^(?:april|june|may)$/i.test(word)
const MARCH = 2

describe('a question names', () => {
  test.each<[string, TimeHint | null]>([
    ['What happened on 7 May 2023?', hint(2023, MAY, 7)],
    ['What happened on 7th May, 2023?', hint(2023, MAY, 7)],
    ['on the 7th of May', hint(null, MAY, 7)],
    ['on may 7th 2023', hint(2023, MAY, 7)],
    ['on May the 7th', hint(null, MAY, 7)],
    ['On March 21, what did we do?', hint(null, MARCH, 21)],
    ['on 2023-05-07', hint(2023, MAY, 7)],
    ['in 2023-05', hint(2023, MAY, null)],
    ['in May 2023', hint(2023, MAY, null)],
    ['what about may 2023', hint(2023, MAY, null)],
    ['in march', hint(null, MARCH, null)],
    ['What did she do in sept?', hint(null, 8, null)],
    ['before the May trip', hint(null, MAY, null)],
    ['the october party', hint(null, 9, null)],
    ['early-march', hint(null, MARCH, null)],
    ['Where was I in 2019?', hint(2019, null, null)],
  ])('a time: %j', (text, expected) => {
    expect(timeHintIn(text)).toEqual(expected)
  })

  test.each([
    'May I come in?',
    'When may they march?',
    'Well. May I come in?',
    'March with us!',
    'What did jan do?',
    'What did she decide?',
    'Which marches were there?',
    'order 4711-20',
    'on 2023-13-01x',
    'the number 12345',
    'at 7 maybe',
    '',
  ])('no time: %j', (text) => {
    const found = timeHintIn(text)
    expect(found === null || found.month === null).toBe(true)
    if (!text.includes('2023')) expect(found).toBeNull()
  })

  test('a day that no month has does not count as one', () => {
    expect(timeHintIn('on 45 October')).toEqual(hint(null, 9, null))
  })

  test('no time where the month is somebody there', () => {
    for (const text of ['Where does April live?', 'What did June say to May?'])
      expect(timeHintIn(text, isName)).toBeNull()
    expect(timeHintIn('Where was June in April?', isName)).toEqual(hint(null, 3, null))
    expect(timeHintIn('June on 3 April', isName)).toEqual(hint(null, 3, 3))
  })

  test.each([' ', '\n', 'in ', '1 ', 'may ', '1', '-', 'in -', '. '])(
    'a million %j are read at once',
    (part) => {
      timeHintIn(part.repeat(1_000_000 / part.length))
    },
  )
})

const on = (text: string) => Date.parse(text)

describe('what was said is near', () => {
  test.each<[string, TimeHint, string, number]>([
    ['on the day', hint(2023, MAY, 7), '2023-05-07T12:00Z', 1],
    ['in the week after it', hint(2023, MAY, 7), '2023-05-13T23:00Z', 1],
    ['two weeks after it, half', hint(2023, MAY, 7), '2023-05-20T12:00Z', 0.5],
    ['two days before it, half', hint(2023, MAY, 7), '2023-05-05T06:00Z', 0.5],
    ['not a month after it', hint(2023, MAY, 7), '2023-06-07T12:00Z', 0],
    ['not a week before it', hint(2023, MAY, 7), '2023-04-30T12:00Z', 0],
    ['not in another year', hint(2023, MAY, 7), '2022-05-07T12:00Z', 0],
    ['on the day of any year', hint(null, MAY, 7), '2021-05-08T12:00Z', 1],
    ['in the month', hint(2023, MAY, null), '2023-05-31T12:00Z', 1],
    ['in the days after the month, half', hint(2023, MAY, null), '2023-06-05T12:00Z', 0.5],
    ['not long after the month', hint(2023, MAY, null), '2023-06-12T12:00Z', 0],
    ['not before the month', hint(2023, MAY, null), '2023-04-20T12:00Z', 0],
    ['in the month of any year', hint(null, MAY, null), '2020-05-20T12:00Z', 1],
    ['after a December, half, though the year is another', hint(null, 11, null), '2023-01-05T12:00Z', 0.5],
    ['after a day in December, though the year is another', hint(null, 11, 30), '2023-01-02T12:00Z', 1],
    ['in the year', hint(2023, null, null), '2023-12-31T12:00Z', 1],
    ['not in the next year', hint(2023, null, null), '2024-01-02T12:00Z', 0],
    ['on the day, where it begins first', hint(2023, MAY, 7), '2023-05-07T00:30+14:00', 1],
    ['on the day, where it ends last', hint(2023, MAY, 7), '2023-05-07T23:30-12:00', 1],
    ['in the month, where it begins first', hint(2023, MAY, null), '2023-05-01T00:30+14:00', 1],
    ['in the month, where it ends last', hint(2023, MAY, null), '2023-05-31T23:30-12:00', 1],
    ['in the year, where it begins first', hint(2023, null, null), '2023-01-01T00:30+14:00', 1],
    ['in the year, where it ends last', hint(2023, null, null), '2023-12-31T23:30-12:00', 1],
  ])('%s', (_, ...[time, at, expected]) => {
    expect(nearness(time, on(at))).toBe(expected)
  })
})
