/** The budget of a person's pings: tokens that come back with time. Pure; who reads it says what time it is. */
export interface Budget {
  readonly capacity: number
  readonly refillMinutes: number
  /** As of `at`; fractions are kept. */
  readonly available: number
  readonly at: number
  /** The person's day that is counted. */
  readonly day: string
  /** The log's position from which it is counted: a clock that is set back can bring the same date twice. */
  readonly since: number
  readonly used: number
  readonly critical: number
  /** Of pings that are on their way, oldest first. */
  readonly lent: readonly Lent[]
}

/**
 * What comes back if nobody gets a ping: as much as would be there had it never been sent. While it is on its way, a
 * budget that is full without its token is paid for time that would not have counted; that much does not come back, or
 * there could be more pings than a budget allows (PING1).
 */
interface Lent {
  readonly ping: number
  readonly tokens: number
}

export type BudgetSize = Pick<Budget, 'capacity' | 'refillMinutes'>

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Nobody has pinged yet: it is full. */
export function newBudget(size: BudgetSize, { at, day }: Pick<Budget, 'at' | 'day'>): Budget {
  const { capacity, refillMinutes } = size
  return { capacity, refillMinutes, available: capacity, at, day, since: 0, used: 0, critical: 0, lent: [] }
}

/** With what has come back since. A clock that was set back gives nothing and takes nothing. */
export function refilled(budget: Budget, now: number): Budget {
  const { capacity, refillMinutes, at } = budget
  const elapsed = Math.max(0, now - at)
  const available = Math.min(capacity, budget.available + elapsed / (refillMinutes * MINUTE_MS))
  return { ...budget, available, at: anchor(at, now), lent: inRoom(budget.lent, capacity - available) }
}

/** No more than there is room for; what was lent first is lost first. */
function inRoom(lent: readonly Lent[], room: number): readonly Lent[] {
  let left = room
  return lent
    .toReversed()
    .map(({ ping, tokens }) => {
      const kept = Math.min(tokens, Math.max(0, left))
      left -= kept
      return { ping, tokens: kept }
    })
    .toReversed()
}

/** The same time never counts twice; yet a clock that was years ahead does not stop the budget for years. */
function anchor(before: number, now: number): number {
  return Math.max(now, Math.min(before, now + DAY_MS))
}

/** Raising the capacity grants nothing, lowering it clamps; what came back before that came at the old pace. */
export function resized(budget: Budget, size: BudgetSize, now: number): Budget {
  const { capacity, refillMinutes } = size
  const old = refilled(budget, now)
  const available = Math.min(capacity, old.available)
  return { ...old, capacity, refillMinutes, available, lent: inRoom(old.lent, capacity - available) }
}

/**
 * What was counted on an earlier day counts no more. A clock that was set back over midnight does not begin the day
 * again; one that was days ahead does not stop the counting for days.
 */
export function onDay(budget: Budget, day: string): Budget {
  const days = daysBetween(budget.day, day)
  return days > 0 || days < -1 ? { ...budget, day, used: 0, critical: 0 } : budget
}

/** From one day of the calendar to another. */
export function daysBetween(from: string, to: string): number {
  const [first = 0, last = 0] = [from, to].map((day) => Date.parse(day))
  return Math.round((last - first) / DAY_MS)
}

export function hasToken({ available }: Pick<Budget, 'available'>): boolean {
  return wholeTokens(available) >= 1
}

/** A ping takes a token, and has it until it is known what became of it. */
export function taken(budget: Budget, ping: number): Budget {
  const { available, used, lent } = budget
  const left = Math.max(0, available - 1)
  return { ...budget, available: left, used: used + 1, lent: [...lent, { ping, tokens: available - left }] }
}

/** It arrived: nothing comes back. */
export function kept(budget: Budget, ping: number): Budget {
  return { ...budget, lent: budget.lent.filter((one) => one.ping !== ping) }
}

/** Nobody got it: as if it had never been. */
export function givenBack(budget: Budget, ping: number): Budget {
  const tokens = budget.lent.find((one) => one.ping === ping)?.tokens ?? 0
  const available = Math.min(budget.capacity, budget.available + tokens)
  return { ...kept(budget, ping), available }
}

/** Fractions that are added up may lack a billionth of what they come to. */
const LACK = 1e-9

export function wholeTokens(available: number): number {
  return Math.floor(available + LACK)
}

/** When the next whole token is there; undefined: it is full. */
export function nextRefillAt({ capacity, refillMinutes, available, at }: Budget): number | undefined {
  const whole = wholeTokens(available)
  if (whole >= capacity) return undefined
  const missing = whole + 1 - available
  return Math.ceil(at + missing * refillMinutes * MINUTE_MS)
}

/** How many whole tokens come back until then, as far as there is room for them. */
export function refillsUntil(budget: Budget, until: number): number {
  const then = refilled(budget, Math.max(until, budget.at))
  return wholeTokens(then.available) - wholeTokens(budget.available)
}
