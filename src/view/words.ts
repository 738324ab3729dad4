import type { Price } from '../model/contract/model.ts'

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

/** `$2 in, $10 out per million` */
export function priceWords({ perMillionIn, perMillionOut }: Price): string {
  if (perMillionIn === 0 && perMillionOut === 0) return 'free'
  return `$${perMillionIn} in, $${perMillionOut} out per million`
}

/** What reading a prompt of so many tokens costs, without a cache: `$0.16 with MODEL`. */
export function promptCost(
  tokens: number,
  { model, price, priceUnknown }: { model: string; price: Price | undefined; priceUnknown: number },
): string {
  const cost = (tokens * (price?.perMillionIn ?? priceUnknown)) / 1_000_000
  if (price !== undefined) return cost === 0 ? `free with ${model}` : `${moneyWords(cost)} with ${model}`
  return `${moneyWords(cost)} with ${model} (price unknown)`
}
