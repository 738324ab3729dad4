import { Cron } from 'croner'
import { instantShowing, shownAt } from '../base/zone-time.ts'

/**
 * The first moment after `after` at which a routine is due; null: not within the next years. The text is one that
 * `cronField` has read.
 *
 * The five fields are looked for on the clock on the wall, and what it shows then is turned into an instant. A time
 * that the clock jumps over is due once, right after the gap; one that it shows twice is due at the first.
 */
export function nextFiring(cron: string, zone: string, after: number): number | null {
  const clock = cronOf(cron)
  let shown = shownAt(after, zone)
  const end = shown + SEARCHED_MS
  for (;;) {
    const found = clock.nextRun(new Date(shown))?.getTime()
    if (found === undefined || found > end) return null
    const { at } = instantShowing(found, zone)
    // While the clock shows an hour for the second time, its times were due in the first.
    if (at > after) return at
    shown = found
  }
}

export interface FiringSpan {
  readonly after: number
  readonly upTo: number
}

/** The latest moment in (after, upTo] at which a routine was due. */
export function lastFiring(cron: string, zone: string, { after, upTo }: FiringSpan): number | null {
  const firstSince = (start: number): number | null => {
    const at = nextFiring(cron, zone, start)
    return at !== null && at <= upTo ? at : null
  }
  if (after >= upTo) return null
  let [high, back] = [upTo, MINUTE_MS]
  while (upTo - back > after && firstSince(upTo - back) === null) {
    high = upTo - back
    back *= 2
  }
  let low = Math.max(after, upTo - back)
  let latest = firstSince(low)
  // Something is due after low, nothing after high.
  while (latest !== null && high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2)
    const found = firstSince(middle)
    if (found === null) high = middle
    else [low, latest] = [middle, found]
  }
  return latest
}

const MINUTE_MS = 60_000

/** From one 29 February to the next it may be eight years. */
const SEARCHED_MS = 9 * 366 * 86_400_000

const CRONS_MAX = 500
const crons = new Map<string, Cron>()

function cronOf(text: string): Cron {
  const known = crons.get(text)
  if (known !== undefined) return known
  if (crons.size >= CRONS_MAX) crons.clear()
  const cron = new Cron(withinSteps(text), { mode: '5-part', utcOffset: 0, domAndDow: false })
  crons.set(text, cron)
  return cron
}

const STEPS_MAX = [60, 24, 31, 12, 7]

/** A step past the end of its field leaves the first value alone, which croner says only up to the field's size. */
function withinSteps(text: string): string {
  return text
    .split(/\s+/)
    .map((field, index) =>
      field.replaceAll(/\/(\d+)/g, (_, step: string) => `/${Math.min(Number(step), STEPS_MAX[index] ?? 1)}`),
    )
    .join(' ')
}
