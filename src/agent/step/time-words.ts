import { clockIn } from '../../context/wording.ts'

/** `14:05`, or with the date when it is another day; to the second when it is soon. */
export function timeWords(at: number, now: number, zone: string): string {
  const then = clockIn(at, zone)
  const today = clockIn(now, zone)
  const seconds = Math.ceil((at - now) / 1000)
  if (seconds < 120) return `${then.time} (in ${seconds} s)`
  return then.date === today.date ? then.time : `${then.date} ${then.time}`
}
