/** What should be fired, minute by minute: slow, and made of nothing that the product is made of. */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export interface NaiveRoutine {
  readonly cron: string
  /** Null: the configured one. */
  readonly zone: string | null
  /** So long it may be missed; Infinity: however long, 0: not at all. */
  readonly catchUpMs: number
  /** Up to when its times are done with. */
  baseline: number
  /** Up to when no other time of it was found. */
  seen: number
}

export interface NaiveReminder {
  readonly due: number
}

export class NaiveSchedule {
  readonly routines = new Map<string, NaiveRoutine>()
  readonly reminders = new Map<string, NaiveReminder>()
  readonly done: string[] = []
  readonly #paused = new Map<string, number>()
  zone: string
  now: number
  startedAt: number

  constructor(now: number, zone: string) {
    this.now = now
    this.startedAt = now
    this.zone = zone
  }

  /** Its file was written, anew or again. */
  write(id: string, routine: Omit<NaiveRoutine, 'baseline' | 'seen'>): void {
    const before = this.routines.get(id)
    const isSame = before?.cron === routine.cron && before.zone === routine.zone
    const { baseline, seen } = isSame ? before : { baseline: this.now, seen: this.now }
    this.routines.set(id, { ...routine, baseline, seen })
    this.look()
  }

  moveTo(zone: string): void {
    this.zone = zone
    for (const routine of this.routines.values()) routine.seen = routine.baseline
    this.look()
  }

  pause(id: string, until: number): void {
    this.#paused.set(id, until)
    this.look()
  }

  resume(id: string): void {
    this.#paused.delete(id)
    this.look()
  }

  restart(ms: number): void {
    this.now += ms
    this.startedAt = this.now
    this.look()
  }

  set(ms: number): void {
    this.now += ms
    this.startedAt = Math.min(this.startedAt, this.now)
    this.look()
  }

  pass(ms: number): void {
    const end = this.now + ms
    const untils = [...this.#paused.values()].filter((until) => until > this.now && until <= end)
    const dues = [...this.reminders.values()]
      .map(({ due }) => due)
      .filter((due) => due > this.now && due <= end)
    const special = [...new Set([...untils, ...dues, end])].toSorted((a, b) => a - b)
    for (const stop of special) {
      for (let minute = nextMinute(this.now); minute < stop; minute += MINUTE) this.#tick(minute)
      this.now = stop
      this.look()
    }
  }

  #tick(minute: number): void {
    this.now = minute
    for (const [id, routine] of this.routines) {
      if (minute <= routine.seen || this.#isPaused(id)) continue
      routine.seen = minute
      if (fires(routine.cron, routine.zone ?? this.zone, minute)) this.#decide(id, routine, minute)
    }
  }

  /** Looks at everything anew, however far back that is. */
  look(): void {
    for (const [id, { due }] of this.reminders)
      if (due <= this.now && !this.#isPaused(id)) {
        this.done.push(`${id} ${due}${this.#isLate(due) ? ' late' : ''}`)
        this.reminders.delete(id)
      }
    for (const [id, routine] of this.routines) {
      if (routine.baseline > this.now + DAY) Object.assign(routine, { baseline: this.now, seen: this.now })
      if (this.#isPaused(id)) continue
      const [zone, seen] = [routine.zone ?? this.zone, routine.seen]
      routine.seen = Math.max(seen, this.now)
      for (let minute = lastMinute(this.now); minute > seen; minute -= MINUTE)
        if (fires(routine.cron, zone, minute)) {
          this.#decide(id, routine, minute)
          break
        }
    }
  }

  #decide(id: string, routine: NaiveRoutine, due: number): void {
    routine.baseline = due
    const isLate = this.#isLate(due)
    const isMissed = isLate && this.now - due >= routine.catchUpMs
    this.done.push(`${id} ${due}${isMissed ? ' missed' : isLate ? ' late' : ''}`)
  }

  #isLate(due: number): boolean {
    return due < this.startedAt || this.now - due >= MINUTE
  }

  #isPaused(id: string): boolean {
    return [id, 'all'].some((one) => (this.#paused.get(one) ?? 0) > this.now)
  }
}

function nextMinute(at: number): number {
  return (Math.floor(at / MINUTE) + 1) * MINUTE
}

function lastMinute(at: number): number {
  return Math.floor(at / MINUTE) * MINUTE
}

/** Whether a routine is due in this very minute, as the clock on the wall goes. */
export function fires(cron: string, zone: string, minute: number): boolean {
  const offset = offsetAt(zone, minute)
  // The clock was put back within the last hour: it shows this for the second time.
  if (offsetAt(zone, minute - HOUR) - offset === HOUR) return false
  if (shows(cron, minute + offset)) return true
  const before = offsetAt(zone, minute - MINUTE)
  // The clock was put forward just now: what it left out is due.
  for (let shown = minute + before; shown < minute + offset; shown += MINUTE)
    if (shows(cron, shown)) return true
  return false
}

const offsets = new Map<string, Map<number, number>>()

/** Offsets change at full hours only, in the zones of the test. */
export function offsetAt(zone: string, at: number): number {
  const ofZone = offsets.get(zone) ?? new Map<number, number>()
  offsets.set(zone, ofZone)
  const hour = Math.floor(at / HOUR) * HOUR
  const offset = ofZone.get(hour) ?? askOffset(zone, hour)
  ofZone.set(hour, offset)
  return offset
}

function askOffset(zone: string, hour: number): number {
  const text = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(hour)
    .find(({ type }) => type === 'timeZoneName')?.value
  const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(text ?? '') ?? []
  if (sign === undefined) return 0
  return (Number(hours) * HOUR + Number(minutes) * MINUTE) * (sign === '-' ? -1 : 1)
}

function shows(cron: string, shown: number): boolean {
  const { fields, isEither } = fieldsOf(cron)
  const [minute, hour, day, month, weekday] = fields
  const date = new Date(shown)
  if (!minute?.has(date.getUTCMinutes()) || !hour?.has(date.getUTCHours())) return false
  if (!month?.has(date.getUTCMonth() + 1)) return false
  const [isDay, isWeekday] = [day?.has(date.getUTCDate()), weekday?.has(date.getUTCDay())]
  return isEither ? isDay === true || isWeekday === true : isDay === true && isWeekday === true
}

interface Fields {
  readonly fields: readonly ReadonlySet<number>[]
  /** Days of the month and of the week are both said: either is enough. */
  readonly isEither: boolean
}

const known = new Map<string, Fields>()

function fieldsOf(cron: string): Fields {
  const parts = cron.split(' ')
  const fields = known.get(cron) ?? {
    fields: parts.map(
      (part) => new Set(Array.from({ length: 60 }, (_, value) => value).filter((value) => fits(part, value))),
    ),
    isEither: parts[2] !== '*' && parts[4] !== '*',
  }
  known.set(cron, fields)
  return fields
}

function fits(field: string, value: number): boolean {
  return field.split(',').some((part) => {
    if (part === '*') return true
    if (part.startsWith('*/')) return value % Number(part.slice(2)) === 0
    const [from = 0, to = from] = part.split('-').map(Number)
    return value >= from && value <= to
  })
}
