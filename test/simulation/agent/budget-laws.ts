import type { Budget } from '../../../src/agent/state/ping-budget.ts'
import type { Event, EventOf } from '../../../src/event/event.ts'
import type { Position } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'

type Decided = EventOf<'ping-decided'>

/** An event that reads or changes a budget. */
interface Entry {
  readonly at: number
  readonly capacity: number | undefined
  readonly refillMinutes: number | undefined
  /** Said of a budget that nobody used before. */
  readonly available?: number
  /** A ping that takes a token. */
  readonly ping: Decided | undefined
}

interface Bucket {
  capacity: number
  refillMinutes: number
  available: number
  at: number
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const LACK = 1e-6

/** PING1 and PING2, by recounting from the first day: lost pings count as if they had never been sent. */
export class BudgetLaws {
  readonly #entries: Entry[] = []
  /** Pings that nobody got. */
  readonly #lost = new Set<Position>()
  /** Each with its delivery while the outcome is unknown; null: it is held. */
  readonly #open = new Map<Position, Position | null>()
  /** Those of them that have a token. */
  readonly #lent = new Set<Position>()
  #hasOverlapped = false
  returned = 0

  take(event: Event): void {
    switch (event.kind) {
      case 'ping-decided':
        return this.#decide(event)
      case 'budget-set': {
        const { at, capacity, refillMinutes, available } = event
        return void this.#entries.push({ at, capacity, refillMinutes, available, ping: undefined })
      }
      case 'ping-settled':
        if (event.outcome === 'moved') return this.#move(event)
        return this.#lose(event.ping, event.at)
      case 'delivery-done':
        return this.#arrive(event.intent)
      case 'delivery-failed':
        for (const [ping, delivery] of this.#open) if (delivery === event.intent) this.#lose(ping, event.at)
        return
      default:
    }
  }

  /** The log's budget matches the recount. */
  compare(known: Budget | undefined): void {
    if (known === undefined) return hold(this.#entries.length === 0, '[PING2] there is no budget')
    const [most, least] = [this.#count('lost are none'), this.#count('all')].map(({ available }) => available)
    const { available } = known
    hold(available <= (most ?? 0) + LACK, `[PING1] ${available} tokens are left, and ${most} at most`)
    hold(available >= (least ?? 0) - LACK, `[PING2] ${available} tokens are left, and at least ${least}`)
    // With several on their way at once, the order of returns matters.
    const isExact = this.#hasOverlapped || Math.abs(available - (most ?? 0)) < LACK
    hold(isExact, `[PING2] ${available} tokens are left, and it should be ${most}`)
    this.#checkStretches()
  }

  #decide(event: Decided): void {
    const { budget, at, verdict, because, delivery, position } = event
    const takes = verdict === 'sent' && because === 'allowed'
    if (budget === undefined) return hold(!takes, `[PING1] ${position} is sent on nobody's account`)
    const { capacity, refillMinutes } = budget
    this.#entries.push({ at, capacity, refillMinutes, ping: takes ? event : undefined })
    if (verdict !== 'refused') this.#open.set(position, delivery)
    if (event.of !== undefined) this.#open.delete(event.of)
    if (!takes) return
    if (this.#lent.size > 0) this.#hasOverlapped = true
    this.#lent.add(position)
  }

  #move({ ping, delivery }: EventOf<'ping-settled'>): void {
    if (delivery !== null && this.#open.has(ping)) this.#open.set(ping, delivery)
  }

  #lose(ping: Position, at: number): void {
    if (!this.#open.delete(ping)) return
    if (this.#lent.delete(ping)) {
      this.returned++
      this.#lost.add(ping)
    }
    this.#entries.push({ at, capacity: undefined, refillMinutes: undefined, ping: undefined })
  }

  #arrive(intent: Position): void {
    for (const [ping, delivery] of this.#open) {
      if (delivery !== intent) continue
      this.#open.delete(ping)
      this.#lent.delete(ping)
    }
  }

  #count(what: 'all' | 'lost are none'): Bucket {
    const [first] = this.#entries
    const { capacity = 0, refillMinutes = 1, at = 0, available = capacity } = first ?? {}
    const bucket: Bucket = { capacity, refillMinutes, available, at }
    for (const entry of this.#entries) {
      read(bucket, entry)
      const isTaken = entry.ping !== undefined && (what === 'all' || !this.#lost.has(entry.ping.position))
      if (isTaken) bucket.available -= 1
      if (what === 'all') bucket.available = Math.max(0, bucket.available)
    }
    return bucket
  }

  /** No period has more pings than its budget could have allowed, by the clock's way forward in it. */
  #checkStretches(): void {
    const sent: { readonly refills: number; readonly capacity: number }[] = []
    const bucket = { at: this.#entries[0]?.at ?? 0, refills: 0, refillMinutes: 1, capacity: 1 }
    for (const { at, capacity, refillMinutes, ping } of this.#entries) {
      bucket.refills += Math.max(0, at - bucket.at) / (bucket.refillMinutes * MINUTE_MS)
      bucket.at = at
      bucket.refillMinutes = refillMinutes ?? bucket.refillMinutes
      bucket.capacity = capacity ?? bucket.capacity
      const { refills } = bucket
      if (ping !== undefined && !this.#lost.has(ping.position))
        sent.push({ refills, capacity: bucket.capacity })
    }
    for (const [start, first] of sent.entries()) {
      let most = 0
      for (const [count, last] of sent.slice(start).entries()) {
        most = Math.max(most, last.capacity)
        const allowed = most + last.refills - first.refills
        hold(count + 1 <= allowed + LACK, `[PING1] ${count + 1} pings were sent where ${allowed} may be`)
      }
    }
  }
}

function read(bucket: Bucket, { at, capacity, refillMinutes }: Entry): void {
  const elapsed = Math.max(0, at - bucket.at)
  bucket.available = Math.min(
    bucket.capacity,
    bucket.available + elapsed / (bucket.refillMinutes * MINUTE_MS),
  )
  bucket.at = Math.max(at, Math.min(bucket.at, at + DAY_MS))
  bucket.capacity = capacity ?? bucket.capacity
  bucket.refillMinutes = refillMinutes ?? bucket.refillMinutes
  bucket.available = Math.min(bucket.capacity, bucket.available)
}
