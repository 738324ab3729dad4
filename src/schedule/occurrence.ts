import { Cron } from 'croner'
import { DAY_MS, instantShowing, MINUTE_MS, shownAt } from '../base/zone-time.ts'

/**
 * The first moment after `after` at which a routine is due; null: not within the next years. The text is one that
 * `cronField` has read.
 *
 * The five fields are matched with the wall clock, whose time is then turned into an instant. A time that the clock skips
 * is due once, right after the gap; one that it shows twice is due the first time.
 */
export function nextFiring(cron: string, zone: string, after: number): number | null {
  const stretches = stretchesOf(cron, zone)
  const found = stretches.find(({ from, to }) => from <= after && after < to)
  if (found !== undefined) return found.next
  const next = countNext(cron, zone, after)
  keep(stretches, { from: after, to: next ?? after + NEVER_MS, next })
  return next
}

function countNext(cron: string, zone: string, after: number): number | null {
  const clock = cronOf(cron)
  let shown = shownAt(after, zone)
  const end = shown + SEARCHED_MS
  for (;;) {
    const found = clock.nextRun(new Date(shown))?.getTime()
    if (found === undefined || found > end) return null
    const at = instantShowing(found, zone)
    // While the clock shows an hour a second time, its firings were due the first time.
    if (at > after) return at
    shown = found
  }
}

/** The latest moment in (after, upTo] at which a routine was due. */
export function lastFiring(
  cron: string,
  zone: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): number | null {
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
  let latest = firstSince(Math.max(after, upTo - back))
  // Nothing is due after high. Usually there is one firing in this time, which is found at once.
  while (latest !== null) {
    const following = firstSince(latest)
    if (following === null) return latest
    const middle = following + Math.floor((high - following) / 2)
    const beyond = firstSince(middle)
    if (beyond === null) high = middle
    latest = beyond ?? following
  }
  return null
}

/** There may be eight years between two 29ths of February. */
const SEARCHED_MS = 9 * 366 * DAY_MS

/** The first firing after each moment in [from, to) is `next`. */
interface Stretch {
  readonly from: number
  readonly to: number
  readonly next: number | null
}

/** A cron without a firing in nine years has none at all. */
const NEVER_MS = 366 * DAY_MS
const STRETCHES_MAX = 8
const KNOWN_MAX = 5_000

/** A cache by zone and cron. Answers are the same without it. */
const known = new Map<string, Stretch[]>()

function stretchesOf(cron: string, zone: string): Stretch[] {
  const key = `${zone} ${cron}`
  const found = known.get(key)
  if (found !== undefined) return found
  if (known.size >= KNOWN_MAX) known.clear()
  const made: Stretch[] = []
  known.set(key, made)
  return made
}

/** The newest first; one that ends with the same firing is the same one, from earlier on. */
function keep(stretches: Stretch[], one: Stretch): void {
  const same = stretches.findIndex(({ next }) => next !== null && next === one.next)
  if (same >= 0) stretches.splice(same, 1)
  stretches.unshift(one)
  if (stretches.length > STRETCHES_MAX) stretches.pop()
}

/** Each takes 80 KB, and the next firings are remembered without them. */
const CRONS_MAX = 50
const crons = new Map<string, Cron>()

function cronOf(text: string): Cron {
  const known = crons.get(text)
  if (known !== undefined) return known
  const [oldest] = crons.keys()
  if (crons.size >= CRONS_MAX && oldest !== undefined) crons.delete(oldest)
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
