import { offsetAt, shownAt } from './zone-time.ts'

/** Whose clock counts. */
export interface Place {
  readonly now: number
  readonly zone: string
}

/** The date and the time that a clock on the wall shows there. */
export function clockIn(at: number, zone: string): { readonly date: string; readonly time: string } {
  // Years above 9999 are written with a sign and six digits.
  const iso = new Date(Math.min(shownAt(at, zone), DATE_MS_MAX)).toISOString().replace(/^\+0?/, '')
  const [date = '', time = ''] = iso.split('T')
  return { date, time: time.slice(0, 'HH:MM'.length) }
}

/** `2026-03-01 09:30` */
export function minuteText(at: number, zone: string): string {
  const { date, time } = clockIn(at, zone)
  return `${date} ${time}`
}

/** `2026-03-01 Sun 09:30` */
export function momentText(at: number, zone: string): string {
  const { date, time } = clockIn(at, zone)
  return `${date} ${weekday(at, zone).slice(0, 3)} ${time}`
}

/** `09:00`; on another day `yesterday 09:00`, `Tuesday 09:00`, `Tuesday 2026-03-01 09:00`; soon: `09:00 (in 40 s)`. */
export function timeText(at: number, place: Place): string {
  const seconds = Math.ceil((at - place.now) / 1_000)
  const soon = seconds > 0 && seconds < 120 ? ` (in ${seconds} s)` : ''
  return dayAndTime(at, place) + soon
}

/** `today 18:30, in 20 min`; `Tuesday 09:00, in 3 days` */
export function whenText(at: number, place: Place): string {
  const days = daysUntil(at, place)
  const seconds = Math.round(Math.abs(at - place.now) / 1_000)
  const far = distance(seconds, Math.abs(days))
  const distant = seconds === 0 ? 'now' : at > place.now ? `in ${far}` : `${far} ago`
  return `${days === 0 ? 'today ' : ''}${dayAndTime(at, place)}, ${distant}`
}

/** `2026-03-01T09:30:00.000+01:00`: for programs. */
export function isoIn(at: number, zone: string): string {
  const minutes = Math.trunc(offsetAt(at, zone) / 60_000)
  const local = new Date(at + minutes * 60_000).toISOString().slice(0, -1)
  const [hour, minute] = [Math.abs(minutes) / 60, Math.abs(minutes) % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  )
  return `${local}${minutes < 0 ? '-' : '+'}${hour}:${minute}`
}

/** The same in UTC. */
export function isoAt(at: number): string {
  return new Date(at).toISOString()
}

const DAY_MS = 86_400_000
/** The last millisecond that a Date can hold. */
const DATE_MS_MAX = 8_640_000_000_000_000
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

function dayAndTime(at: number, place: Place): string {
  const { date, time } = clockIn(at, place.zone)
  const days = daysUntil(at, place)
  const near = days === 0 ? '' : days === 1 ? 'tomorrow ' : days === -1 ? 'yesterday ' : undefined
  if (near !== undefined) return near + time
  const name = weekday(at, place.zone)
  return Math.abs(days) < 7 ? `${name} ${time}` : `${name} ${date} ${time}`
}

function daysUntil(at: number, { now, zone }: Place): number {
  return Math.floor(shownAt(at, zone) / DAY_MS) - Math.floor(shownAt(now, zone) / DAY_MS)
}

function weekday(at: number, zone: string): string {
  return DAYS[new Date(Math.min(shownAt(at, zone), DATE_MS_MAX)).getUTCDay()] ?? ''
}

function distance(seconds: number, days: number): string {
  if (days > 1) return `${days} days`
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 && minutes !== 60 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
