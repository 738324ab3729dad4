import { expect, test } from 'vitest'
import { cronOf, cronWords } from './schedule-words.ts'

test.each([
  ['30 8 * * 1-5', 'weekdays at 08:30'],
  ['0 9,18 * * *', 'every day at 09:00 and 18:00'],
  ['*/15 * * * *', 'every 15 min'],
  ['* * * * *', 'every minute'],
  ['5 * * * *', 'every hour at :05'],
  ['0 */2 * * 1-5', 'every 2 hours, weekdays'],
  ['40 12 * * 2,3,4', 'Tuesdays, Wednesdays and Thursdays at 12:40'],
  ['0 10 * * 7,6', 'weekends at 10:00'],
  ['0 10 * * sun,wed', 'Wednesdays and Sundays at 10:00'],
  ['0 9 1 * *', 'on the 1st of the month at 09:00'],
  ['0 9 2,13,31 12 *', 'on the 2nd, 13th and 31st of December at 09:00'],
  ['0 9 1 * 1', undefined],
  ['1-20/3 9 * * *', undefined],
  ['*/7 * * * *', undefined],
  ['nonsense', undefined],
])('%s is %s', (cron, words) => {
  expect(cronWords(cron)).toBe(words)
})

test.each([
  ['weekdays at 8:30', '30 8 * * 1-5'],
  ['every weekday at 8.30', '30 8 * * 1-5'],
  ['every day at 9 and 18', '0 9,18 * * *'],
  ['daily at 7pm', '0 19 * * *'],
  ['9:00', '0 9 * * *'],
  ['every day at noon', '0 12 * * *'],
  ['every monday at 10:00', '0 10 * * 1'],
  ['Mondays and Thursdays 18:00', '0 18 * * 1,4'],
  ['sat at 12am', '0 0 * * 6'],
  ['weekends at 10', '0 10 * * 0,6'],
  ['on the 1st at 9', '0 9 1 * *'],
  ['on the 1st and 15th of the month at 9:30', '30 9 1,15 * *'],
  ['every 15 minutes', '*/15 * * * *'],
  ['every hour', '0 * * * *'],
  ['hourly', '0 * * * *'],
  ['every 2 hours', '0 */2 * * *'],
  ['30 8 * * 1-5', '30 8 * * 1-5'],
  ['0 9 * jan mon', '0 9 * jan mon'],
  ['every day', undefined],
  ['every 45 minutes', undefined],
  ['every day at 25:00', '0 25 * * *'],
  ['at 9:00 and 10:30', undefined],
  ['every blue moon at 9', undefined],
  ['', undefined],
])('%s becomes %s', (words, cron) => {
  expect(cronOf(words)).toBe(cron)
})
