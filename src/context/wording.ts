import { momentText } from '../base/time-text.ts'
import type { Author } from '../event/event.ts'

/** How the host's own words look in a prompt. What was once written is stored; these make new messages. */

/** What the host begins a message with. People may type the same, so it is escaped for them. */
const HOST_OPENING =
  /^\s*\\*\[\s*(?:(?:routine|routine-bg|reminder|reminder-bg|webhook)\s*:|(?:fork-started|fork-timeout|button|system)\s*\]|note\s+from\b|\d{4,}-\d\d-\d\d\s)/i

/** What no reader sees, so that `[system]` with such a character inside looks like the host's tag. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu

/**
 * Typed text that could be taken for the host's own gets a backslash, so that nobody speaks in its name. One that has
 * backslashes there already gets one more: different texts stay different.
 */
export function escapeTyped(text: string): string {
  return HOST_OPENING.test(text.replaceAll(UNSEEN, '')) ? text.replace(/[\\[]/, String.raw`\$&`) : text
}

export function noteLabel(author: Author): string {
  switch (author.by) {
    case 'person':
      return '[note from the person]'
    case 'model':
      return '[note from the model]'
    case 'policy':
      return '[note from the host]'
  }
}

/** `[2026-03-01 Sun 09:30 Europe/Berlin]` */
export function timeLine(at: number, zone: string): string {
  return `[${momentText(at, zone)} ${zone}]`
}
