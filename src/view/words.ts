const THOUSAND = 1_000

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
