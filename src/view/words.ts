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

/** `640 bytes`, `1.2 MB` */
export function bytesText(bytes: number): string {
  if (bytes < THOUSAND) return `${bytes} bytes`
  const units = ['kB', 'MB', 'GB', 'TB']
  let size = bytes / THOUSAND
  let unit = 0
  while (size >= 999.5 && unit < units.length - 1) {
    size /= THOUSAND
    unit++
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`
}
