/** `612`, `1.6k`, `38k`, `1.2M` */
export function shortCount(value: number): string {
  if (value < 1_000) return String(Math.round(value))
  if (value < 999_500) return `${(value / 1_000).toFixed(value < 9_950 ? 1 : 0)}k`
  return `${(value / 1e6).toFixed(1)}M`
}

/** `1,612` */
export function fullCount(value: number): string {
  return whole.format(value)
}

const whole = new Intl.NumberFormat('en')

/** `$0.011`; null: nobody knows. */
export function moneyText(dollars: number | null): string {
  if (dollars === null) return 'no price'
  return `$${dollars === 0 || dollars >= 1 ? dollars.toFixed(2) : dollars.toPrecision(2)}`
}

/** `$2 in, $10 out per million` */
export function priceText(
  price: { readonly perMillionIn: number; readonly perMillionOut: number } | null,
): string {
  if (price === null) return 'no price'
  const { perMillionIn, perMillionOut } = price
  if (perMillionIn === 0 && perMillionOut === 0) return 'free'
  return `$${perMillionIn} in, $${perMillionOut} out per million`
}

/** `12.4 MB` */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB']
  const step = Math.min(3, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${step === 0 ? bytes : (bytes / 1_000 ** step).toFixed(1)} ${units[step]}`
}

/** `1 message`, `2 messages` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${fullCount(count)} ${count === 1 ? one : many}`
}
