type Options = Intl.DateTimeFormatOptions

/** Undefined until the first answer: that of the browser. */
let zone: string | undefined
let formats = new Map<string, Intl.DateTimeFormat>()
let aheads = new Map<number, number>()

/** The time zone that is set for the person. Times are shown in it, wherever the browser is. */
export function noteZone(name: string | null): void {
  if (name === null || name === zone) return
  try {
    Intl.DateTimeFormat('en-GB', { timeZone: name })
  } catch {
    // An old browser may not know it.
    return
  }
  zone = name
  formats = new Map()
  aheads = new Map()
}

export function inZone(options: Options): Intl.DateTimeFormat {
  const key = JSON.stringify(options)
  const known = formats.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-GB', zone === undefined ? options : { ...options, timeZone: zone })
  formats.set(key, made)
  return made
}

const WALL = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
} as const

/** What calendar and clock show at an instant, as the UTC fields of a date. */
export function wallAt(at: number): Date {
  return new Date(at + aheadAt(at))
}

/** The instant at which they show this. An hour that a change of the clock leaves out is one beside it. */
export function instantOf(wall: number): number {
  return wall - aheadAt(wall - aheadAt(wall))
}

/** Clocks change at a quarter of an hour. */
const QUARTER_MS = 900_000

/** How far the clock on the wall is ahead of UTC. It is asked for in every frame of the river. */
function aheadAt(at: number): number {
  const quarter = Math.floor(at / QUARTER_MS)
  const known = aheads.get(quarter)
  if (known !== undefined) return known
  const parts = inZone(WALL).formatToParts(quarter * QUARTER_MS)
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value)
  const wall = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  const ahead = wall - quarter * QUARTER_MS
  aheads.set(quarter, ahead)
  return ahead
}
