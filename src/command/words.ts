/** Numbers as people read them in a chat. */

const THOUSAND = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** `40 s`, `5 min`, `3 h`, `12 days` */
export function ageWords(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.round(ms / THOUSAND))} s`
  if (ms < HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`
  if (ms < 2 * DAY_MS) return `${Math.round(ms / HOUR_MS)} h`
  return `${Math.round(ms / DAY_MS)} days`
}

/** `950`, `3.2k`, `1.4M` */
export function tokenWords(tokens: number): string {
  if (tokens < THOUSAND) return String(tokens)
  if (tokens < THOUSAND * THOUSAND) return `${(tokens / THOUSAND).toFixed(tokens < 10_000 ? 1 : 0)}k`
  return `${(tokens / (THOUSAND * THOUSAND)).toFixed(1)}M`
}

/** `$0.0042`, `$1.20` */
export function moneyWords(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`
}
