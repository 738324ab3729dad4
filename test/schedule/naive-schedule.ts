import type { ForeseenJob, ScheduleEntry, ScheduleLook } from '../../src/schedule/forward-schedule.ts'
import type { Routine } from '../../src/schedule/definition.ts'

/** The forward schedule as one would tell it to a child: look at every minute, and write down what is due in it. */

const MINUTE = 60_000
const QUARTER = 15
const THREE_HOURS = 180
const TWELVE_HOURS = 720

export function naiveSchedule(
  jobs: readonly ForeseenJob[],
  { now, zone, self }: ScheduleLook,
): ScheduleEntry[] {
  const all: ScheduleEntry[] = []
  for (const { definition, file, dueAt } of jobs) {
    if (!definition.background) continue
    const isSelf = self?.what === definition.kind && self.job === definition.id
    const times = definition.kind === 'routine' ? minutesDue(definition, now, zone) : [dueAt ?? Infinity]
    const before = times.findLast((at) => at <= now && now - at <= QUARTER * MINUTE)
    const behind = times.find((at) => at > now && at - now <= TWELVE_HOURS * MINUTE)
    for (const at of [before, behind])
      if (at !== undefined)
        all.push({
          fire_time: at,
          label: labelOf(definition),
          description: definition.description || definition.body,
          isByModel: 'isByModel' in definition && (definition.isByModel || definition.chain.depth > 0),
          file_path: file,
          silent: !definition.allowPing,
          tag: at > now ? null : isSelf ? 'this task' : 'just fired',
        })
  }
  all.sort((a, b) => a.fire_time - b.fire_time || Number(a.file_path > b.file_path) - 0.5)
  const shown: ScheduleEntry[] = []
  let forward = 0
  for (const entry of all) {
    if (entry.fire_time > now + THREE_HOURS * MINUTE && forward >= 3) break
    if (entry.fire_time > now) forward++
    shown.push(entry)
  }
  return shown
}

function labelOf(definition: ForeseenJob['definition']): string {
  if (definition.kind === 'routine') return 'Routine'
  const { max, depth } = definition.chain
  return max > 0 ? `Chain reminder (${depth + 1}/${max + 1})` : 'Reminder'
}

/**
 * A minute is due when the clock on the wall shows, or has just jumped over, a time of the cron that it did not show
 * before.
 */
function minutesDue({ cron, timezone }: Routine, now: number, zone: string): number[] {
  if (cron === null) return []
  const isMeant = meaning(cron)
  const first = Math.floor(now / MINUTE) - QUARTER - 1
  const due: number[] = []
  let shown = 0
  for (let earlier = first - 180; earlier < first; earlier++)
    shown = Math.max(shown, wallMinute(earlier, timezone ?? zone))
  for (let minute = first; minute <= first + QUARTER + TWELVE_HOURS + 2; minute++) {
    const wall = wallMinute(minute, timezone ?? zone)
    let isDue = false
    for (; shown < wall; shown++) if (isMeant(shown + 1)) isDue = true
    if (isDue) due.push(minute * MINUTE)
  }
  return due
}

const walls = new Map<string, Map<number, number>>()
const formats = new Map<string, Intl.DateTimeFormat>()

/** What the wall clock shows in a minute, as the minute in which a clock in Greenwich shows that. */
function wallMinute(minute: number, zone: string): number {
  const known = walls.get(zone) ?? new Map<number, number>()
  walls.set(zone, known)
  const found = known.get(minute)
  if (found !== undefined) return found
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  formats.set(zone, format)
  const wall = Date.parse(`${format.format(minute * MINUTE).replace(' ', 'T')}Z`) / MINUTE
  known.set(minute, wall)
  return wall
}

const meanings = new Map<string, (minute: number) => boolean>()

function meaning(cron: string): (minute: number) => boolean {
  const known = meanings.get(cron)
  if (known !== undefined) return known
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ')
  const [minutes, hours] = [valuesOf(minute, 0, 59), valuesOf(hour, 0, 23)]
  const [days, months, weekdays] = [valuesOf(day, 1, 31), valuesOf(month, 1, 12), valuesOf(weekday, 0, 7)]
  if (weekdays.has(7)) weekdays.add(0)
  const isEither = day !== '*' && weekday !== '*'
  const isMeant = (shown: number): boolean => {
    if (!minutes.has(shown % 60) || !hours.has(Math.floor(shown / 60) % 24)) return false
    const date = new Date(shown * MINUTE)
    const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())]
    return months.has(date.getUTCMonth() + 1) && (isEither ? isDay || isWeekday : isDay && isWeekday)
  }
  meanings.set(cron, isMeant)
  return isMeant
}

/** `*`, a step of it, or numbers and spans between commas. */
function valuesOf(field: string, lowest: number, highest: number): Set<number> {
  const values = new Set<number>()
  for (const piece of field.split(',')) {
    const [, from, to, step] = /^(\*|\d+)(?:-(\d+))?(?:\/(\d+))?$/.exec(piece) ?? []
    const [first, last] = from === '*' ? [lowest, highest] : [Number(from), Number(to ?? from)]
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value)
  }
  return values
}
