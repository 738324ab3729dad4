import { wallTime } from '../base/zone-time.ts'

/** `[late: was scheduled for 9:05, running now]`, with the date where it is not today. */
export function lateText(due: number, now: number, zone: string): string {
  const [then, today] = [wallTime(due, zone), wallTime(now, zone)]
  const isToday = then.year === today.year && then.month === today.month && then.day === today.day
  const time = `${then.hour}:${twoDigits(then.minute)}`
  const date = `${String(then.year).padStart(4, '0')}-${twoDigits(then.month)}-${twoDigits(then.day)}`
  return `[late: was scheduled for ${isToday ? time : `${date} ${time}`}, running now]`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
