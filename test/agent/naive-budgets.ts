import type { Event, EventOf } from '../../src/event/event.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

interface Naive {
  capacity: number
  refillMinutes: number
  available: number
  /** Up to here time was paid for. */
  paidTo: number
  /** Pings of the day that is counted, by their positions. */
  day: string
  used: Set<number>
  critical: Set<number>
}

/**
 * What a budget must be, counted from the events in the plainest way. `never`: as if these pings had never been sent, so
 * it is the most that a budget may have which gives back what nobody got.
 */
export function naiveBudget(
  events: readonly Event[],
  person: string,
  never: ReadonlySet<number> = new Set(),
): Naive | undefined {
  let naive: Naive | undefined
  const decided = new Map<number, EventOf<'ping-decided'>>()
  for (const event of events) {
    if (event.kind === 'ping-decided') {
      decided.set(event.position, event)
      if (event.budget?.person === person) naive = decide(naive, event, never)
    }
    if (event.kind === 'budget-set' && event.person === person) {
      const { capacity, refillMinutes, at, available } = event
      const fresh = { capacity, refillMinutes, available, paidTo: at, day: '' }
      naive ??= { ...fresh, used: new Set(), critical: new Set() }
      pay(naive, at)
      Object.assign(naive, { capacity, refillMinutes, available: Math.min(capacity, naive.available) })
    }
    if (naive === undefined || event.kind !== 'ping-settled' || event.outcome === 'moved') continue
    const lost = decided.get(event.ping)
    if (lost?.budget?.person !== person) continue
    pay(naive, event.at)
    naive.used.delete(event.ping)
    naive.critical.delete(lost.of ?? event.ping)
  }
  return naive
}

function decide(
  before: Naive | undefined,
  event: EventOf<'ping-decided'>,
  never: ReadonlySet<number>,
): Naive | undefined {
  const { budget, at, position, because, verdict, of, isCritical } = event
  if (budget === undefined) return before
  const { capacity, refillMinutes, day } = budget
  const fresh = { capacity, refillMinutes, available: capacity, paidTo: at, day }
  const naive = before ?? { ...fresh, used: new Set(), critical: new Set() }
  pay(naive, at)
  if (naive.day !== day) Object.assign(naive, { day, used: new Set(), critical: new Set() })
  if (verdict === 'sent' && because === 'allowed') {
    if (!never.has(position)) naive.available -= 1
    naive.used.add(position)
  }
  if (isCritical && verdict !== 'refused' && of === undefined) naive.critical.add(position)
  return naive
}

function pay(naive: Naive, at: number): void {
  if (at > naive.paidTo) {
    const more = (at - naive.paidTo) / (naive.refillMinutes * MINUTE)
    naive.available = Math.min(naive.capacity, naive.available + more)
    naive.paidTo = at
  }
  naive.paidTo = Math.min(naive.paidTo, at + DAY)
}
