/** A short answer to a ping. */
export type PingWords =
  | { readonly answer: 'done' }
  /** Null: without a time. */
  | { readonly answer: 'snooze'; readonly when: string | null }
  | { readonly answer: 'less' }

const CHARS_MAX = 80
const CHECK = /^[✅✔☑]\u{FE0F}?$/u
const PICTURES = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}\u{200D}]/gu
/** Without the question mark: a question is not an answer. */
const BEFORE = /^[\s.,;:!…]+/
const BEHIND = /[\s.,;:!…]+$/
const HOUR_OF_HALF = /\b[ap]\.m\.$/i

const DONE =
  /^(?:(?:ok|okay|yes|yep|all|already)(?:,\s*|\s+))?done(?:(?:,\s*|\s+)(?:thanks|thank you|already|now))?$/i
const SNOOZE = /^(?:please\s+)?snooze(?:\s+(?:it|this))?(?:\s+(.+))?$/i
const LATER = /^(?:maybe\s+)?later(?:,?\s+please)?$/i
const LESS = /^less(?:\s+(?:of|like)\s+(?:this|that|these|those))?(?:,?\s+please)?$/i

/** Undefined: it is an ordinary text. The words after `snooze` are not checked here: they may be no time. */
export function readPingWords(text: string): PingWords | undefined {
  const typed = text.trim()
  if (typed.length > CHARS_MAX || /[\r\n]/.test(typed)) return undefined
  if (CHECK.test(typed)) return { answer: 'done' }
  const words = bare(typed)
  if (DONE.test(words)) return { answer: 'done' }
  if (LATER.test(words)) return { answer: 'snooze', when: null }
  if (LESS.test(words)) return { answer: 'less' }
  const found = SNOOZE.exec(words)
  return found === null ? undefined : { answer: 'snooze', when: timeIn(found[1] ?? '') }
}

/** The time in `until tomorrow 9:00` or `for 20 minutes`; null: there is none. */
export function timeIn(text: string): string | null {
  const time = text
    .trim()
    .replace(/^(?:for|until|till|to)\s+/i, '')
    .replace(/(?:^|,?\s+)(?:please|pls|thanks|thank you)$/i, '')
    .trim()
  return time === '' ? null : time
}

/** The words without emoji and without the punctuation around them. */
function bare(typed: string): string {
  const words = typed.replaceAll(PICTURES, ' ').replace(BEFORE, '').trimEnd()
  return HOUR_OF_HALF.test(words) ? words : words.replace(BEHIND, '')
}
