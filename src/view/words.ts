import { systemZone } from '../base/environment.ts'
import { shownAt } from '../base/zone-time.ts'

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

/** `2026-03-01 09:30`, by the clock of this machine or of that zone. */
export function timeText(at: number, zone = systemZone()): string {
  return isoIn(at, zone).slice(0, 16).replace('T', ' ')
}

/** `2026-03-01T09:30:00.000+01:00`: the time in that zone, for programs. */
export function isoIn(at: number, zone: string): string {
  const ahead = Math.round((shownAt(at, zone) - Math.floor(at / 1_000) * 1_000) / 60_000)
  const [hours, minutes] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60]
  const offset = [hours, minutes].map((part) => String(part).padStart(2, '0')).join(':')
  return `${new Date(at + ahead * 60_000).toISOString().slice(0, -1)}${ahead < 0 ? '-' : '+'}${offset}`
}
