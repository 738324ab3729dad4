import { useEffect, useState } from 'react'
import { now } from '../api/now.ts'
import { inZone, wallAt } from '../api/zone.ts'

type Instant = string | number

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const
const DAY_OF_YEAR = { day: 'numeric', month: 'short', year: 'numeric' } as const
const EXACT = { dateStyle: 'full', timeStyle: 'long' } as const

/** `09:12` */
export function clockText(at: Instant): string {
  return inZone(CLOCK).format(new Date(at))
}

/** `Sat 14 Nov`, with the year if it is another one. */
export function dayText(at: Instant): string {
  const date = new Date(at)
  const isThisYear = yearOf(date.getTime()) === yearOf(now())
  return inZone(isThisYear ? DAY : DAY_OF_YEAR)
    .format(date)
    .replace(',', '')
}

function yearOf(at: number): number {
  return wallAt(at).getUTCFullYear()
}

/** `in 54 min`, `3 days ago` */
export function agoText(at: Instant, since = now()): string {
  const ms = new Date(at).getTime() - since
  const words = spanText(Math.abs(ms))
  if (words === '0 s') return 'now'
  return ms > 0 ? `in ${words}` : `${words} ago`
}

/** `54 min`, `3 h`, `2 days` */
export function spanText(ms: number): string {
  const s = Math.round(ms / 1000)
  if (s < 60) return `${s} s`
  if (s < 3_600) return `${Math.round(s / 60)} min`
  if (s < 86_400) return `${Math.round(s / 3_600)} h`
  const days = Math.round(s / 86_400)
  if (days < 60) return days === 1 ? '1 day' : `${days} days`
  const months = Math.round(days / 30.4)
  return months < 24 ? `${months} months` : `${Math.round(days / 365)} years`
}

/** A time in the person's zone, with the exact instant on hover. */
export function Time({ at, as = 'clock' }: { at: Instant; as?: 'clock' | 'day' | 'both' | 'ago' }) {
  const since = useNow(as === 'ago')
  const texts = {
    clock: () => clockText(at),
    day: () => dayText(at),
    both: () => `${dayText(at)} ${clockText(at)}`,
    ago: () => agoText(at, since),
  }
  const date = new Date(at)
  return (
    <time dateTime={date.toISOString()} title={`${inZone(EXACT).format(date)} · ${date.toISOString()}`}>
      {texts[as]()}
    </time>
  )
}

/** A value once it has not changed for a moment, such as what somebody types. */
export function useSettled<T>(value: T, afterMs: number): T {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return settled
}

/** Now, told again from time to time. */
export function useNow(isNeeded = true, everyMs = 15_000): number {
  const [told, setTold] = useState(now)
  useEffect(() => {
    if (!isNeeded) return
    const tell = (): void => setTold(now())
    const timer = setInterval(tell, everyMs)
    addEventListener('mainstem-clock', tell)
    return () => {
      clearInterval(timer)
      removeEventListener('mainstem-clock', tell)
    }
  }, [isNeeded, everyMs])
  return told
}
