let aheadMs = 0

/** The time where Mainstem runs: the clock of a phone or of another machine may be wrong. */
export function now(): number {
  return Date.now() + aheadMs
}

/** Answers tell whole seconds: less than that is no difference. */
const NOTABLE_MS = 2_000

export function noteServerTime(date: string | null): void {
  const ms = Date.parse(date ?? '') - Date.now()
  if (Math.abs(ms - aheadMs) <= NOTABLE_MS) return
  aheadMs = Math.abs(ms) > NOTABLE_MS ? ms : 0
  dispatchEvent(new Event('mainstem-clock'))
}
