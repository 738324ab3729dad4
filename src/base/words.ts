import { limits } from './limits.ts'

/** How long something lasted or is ago: `40 s`, `5 min`, `3 h`, `12 days`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} days`
}

/** Ends with a full stop, where nothing else ends it. */
export function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`
}

/** `1 event`, `1,204 events` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** The first of them, and the number of the rest: `a; b; and 3 more`. */
export function firstOf(texts: readonly string[]): string {
  const more = texts.length - FIRST_MAX
  return [...texts.slice(0, FIRST_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

const FIRST_MAX = 5

/** With a capital letter first. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The text in at most so many characters, ending in `…` where some were left out, and never in half a character. */
export function cutText(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${beginningOf(text, charsMax - 1).trimEnd()}…`
}

/** The text as a message may have it: the end of a longer one is left out, and that is said. */
export function bounded(text: string): string {
  const most = limits.textCharsMax
  if (text.length <= most) return text
  return `${beginningOf(text, most)}\n(cut: the first ${most} of ${text.length} characters)`
}

/** The first so many characters, never with half of one at the end. */
export function beginningOf(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, charsMax).replace(/[\uD800-\uDBFF]$/, '')
}

/** With one space wherever there is white space. */
export function singleSpaced(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** `640 bytes`, `1.2 MB` */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  const units = ['kB', 'MB', 'GB', 'TB']
  let size = bytes / 1_000
  let unit = 0
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1_000
    unit++
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`
}
