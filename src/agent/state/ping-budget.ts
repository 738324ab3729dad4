/** A person's ping budget: tokens that refill with time. Pure; the caller passes the time. */
export interface Budget {
  readonly capacity: number
  readonly refillMinutes: number
  /** As of `at`; fractions are kept. */
  readonly available: number
  readonly at: number
  /** The person's day that the count is for. */
  readonly day: string
  /** The log position where the count starts: a clock that is set back can bring the same date twice. */
  readonly since: number
  readonly used: number
  readonly critical: number
  /** Tokens of pings that are on their way, oldest first. */
  readonly lent: readonly Lent[]
}

/**
 * The token that comes back if nobody gets a ping: as much as would be there had it never been sent. While it is lent,
 * a full budget may refill for time that would not have counted; that part does not come back, or there could be more
 * pings than the budget allows (PING1).
 */
interface Lent {
  readonly ping: number
  readonly tokens: number
}

export type BudgetSize = Pick<Budget, 'capacity' | 'refillMinutes'>

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** A full budget, before the first ping. */
export function newBudget(size: BudgetSize, { at, day }: Pick<Budget, 'at' | 'day'>): Budget {
  const { capacity, refillMinutes } = size
  return { capacity, refillMinutes, available: capacity, at, day, since: 0, used: 0, critical: 0, lent: [] }
}

/** Adds what was refilled since. A clock that was set back adds and removes nothing. */
export function refilled(budget: Budget, now: number): Budget {
  const { capacity, refillMinutes, at } = budget
  const elapsed = Math.max(0, now - at)
  const available = Math.min(capacity, budget.available + elapsed / (refillMinutes * MINUTE_MS))
  return { ...budget, available, at: anchor(at, now), lent: inRoom(budget.lent, capacity - available) }
}

/** Limits the lent tokens to the room there is; the oldest are lost first. */
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

/** The same time never counts twice, but a clock that was years ahead does not stop the budget for years. */
function anchor(before: number, now: number): number {
  return Math.max(now, Math.min(before, now + DAY_MS))
}

/** Raising the capacity grants nothing, lowering it clamps; until now it refilled at the old pace. */
export function resized(budget: Budget, size: BudgetSize, now: number): Budget {
  const { capacity, refillMinutes } = size
  const old = refilled(budget, now)
  const available = Math.min(capacity, old.available)
  return { ...old, capacity, refillMinutes, available, lent: inRoom(old.lent, capacity - available) }
}

/** A clock set back over midnight does not start the day again; one that was days ahead does not stop it. */
export function onDay(budget: Budget, day: string): Budget {
  const days = daysBetween(budget.day, day)
  return days > 0 || days < -1 ? { ...budget, day, used: 0, critical: 0 } : budget
}

/** Days from one calendar date to another. */
export function daysBetween(from: string, to: string): number {
  const [first = 0, last = 0] = [from, to].map((day) => Date.parse(day))
  return Math.round((last - first) / DAY_MS)
}

export function hasToken({ available }: Pick<Budget, 'available'>): boolean {
  return wholeTokens(available) >= 1
}

/** A ping takes a token, which stays lent until the ping's outcome is known. */
export function taken(budget: Budget, ping: number): Budget {
  const { available, used, lent } = budget
  const left = Math.max(0, available - 1)
  return { ...budget, available: left, used: used + 1, lent: [...lent, { ping, tokens: available - left }] }
}

/** The ping arrived: nothing comes back. */
export function kept(budget: Budget, ping: number): Budget {
  return { ...budget, lent: budget.lent.filter((one) => one.ping !== ping) }
}

/** Nobody got the ping: the budget is as if it had never been sent. */
export function givenBack(budget: Budget, ping: number): Budget {
  const tokens = budget.lent.find((one) => one.ping === ping)?.tokens ?? 0
  const available = Math.min(budget.capacity, budget.available + tokens)
  return { ...kept(budget, ping), available }
}

/** Sums of fractions may be a billionth too small. */
const LACK = 1e-9

export function wholeTokens(available: number): number {
  return Math.floor(available + LACK)
}

/** When the next whole token is available; undefined: the budget is full. */
export function nextRefillAt({ capacity, refillMinutes, available, at }: Budget): number | undefined {
  const whole = wholeTokens(available)
  if (whole >= capacity) return undefined
  const missing = whole + 1 - available
  return Math.ceil(at + missing * refillMinutes * MINUTE_MS)
}

/** How many whole tokens are refilled until then, within the capacity. */
export function refillsUntil(budget: Budget, until: number): number {
  const then = refilled(budget, Math.max(until, budget.at))
  return wholeTokens(then.available) - wholeTokens(budget.available)
}
