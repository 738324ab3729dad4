/** Sizes and times as people read them. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  const units = ['kB', 'MB', 'GB', 'TB']
  let size = bytes / 1_000
  let unit = 0
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1_000
    unit++
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`
}

/** Local time to the minute, in a form that sorts. */
export function timeText(at: number): string {
  const time = new Date(at)
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`
}

const offsets = new Map<string, Intl.DateTimeFormat>()

/** `2026-03-01T09:30:00.000+01:00`: the time in that zone, for programs. */
export function isoIn(at: number, zone: string): string {
  const format =
    offsets.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' })
  offsets.set(zone, format)
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
  const ahead = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  return `${new Date(at + ahead * 60_000).toISOString().slice(0, -1)}${sign}${hours}:${minutes}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}

/** `2h` and its kin count back from now; anything else is a date or a time, local unless it names its zone. */
export function parseTime(text: string, now: number): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})\s*([smhdw])$/.exec(text.trim()) ?? []
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? 0)
  const iso = text.trim().replace(' ', 'T')
  if (!/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i.test(iso))
    return undefined
  if (!isDay(iso.slice(0, 10))) return undefined
  const time = Date.parse(iso.includes('T') ? iso : `${iso}T00:00`)
  return Number.isNaN(time) ? undefined : time
}

/** A Date takes the 31st of February for the 3rd of March. */
function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
}
