/** The budget of a person's pings: tokens that come back with time. Pure; who reads it says what time it is. */
export interface Budget {
  readonly capacity: number
  readonly refillMinutes: number
  /** As of `at`; fractions are kept. */
  readonly available: number
  readonly at: number
  /** The person's day that is counted. */
  readonly day: string
  readonly used: number
  readonly critical: number
}

export type BudgetSize = Pick<Budget, 'capacity' | 'refillMinutes'>

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Nobody has pinged yet: it is full. */
export function newBudget(size: BudgetSize, { at, day }: Pick<Budget, 'at' | 'day'>): Budget {
  const { capacity, refillMinutes } = size
  return { capacity, refillMinutes, available: capacity, at, day, used: 0, critical: 0 }
}

/** With what has come back since. A clock that was set back gives nothing and takes nothing. */
export function refilled(budget: Budget, now: number): Budget {
  const { capacity, refillMinutes, available, at } = budget
  const elapsed = Math.max(0, now - at)
  const more = elapsed / (refillMinutes * MINUTE_MS)
  return { ...budget, available: Math.min(capacity, available + more), at: anchor(at, now) }
}

/** The same time never counts twice; yet a clock that was years ahead does not stop the budget for years. */
function anchor(before: number, now: number): number {
  return Math.max(now, Math.min(before, now + DAY_MS))
}

/** Raising the capacity grants nothing, lowering it clamps; what came back before that came at the old pace. */
export function resized(budget: Budget, size: BudgetSize, now: number): Budget {
  const { capacity, refillMinutes } = size
  const old = refilled(budget, now)
  return { ...old, capacity, refillMinutes, available: Math.min(capacity, old.available) }
}

/** What was counted on an earlier day counts no more. */
export function onDay(budget: Budget, day: string): Budget {
  return day > budget.day ? { ...budget, day, used: 0, critical: 0 } : budget
}

export function hasToken({ available }: Budget): boolean {
  return available >= 1
}

/** When the next whole token is there; undefined: it is full. */
export function nextRefillAt({ capacity, refillMinutes, available, at }: Budget): number | undefined {
  if (available >= capacity) return undefined
  const missing = Math.min(Math.floor(available) + 1, capacity) - available
  return Math.ceil(at + missing * refillMinutes * MINUTE_MS)
}

/** How many whole tokens come back until then, as far as there is room for them. */
export function refillsUntil(budget: Budget, until: number): number {
  const then = refilled(budget, Math.max(until, budget.at))
  return Math.floor(then.available) - Math.floor(budget.available)
}
