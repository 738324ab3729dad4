import { momentText } from '../base/time-text.ts'
import type { Author } from '../event/event.ts'

/** The form of the host's own words in a prompt. Written messages are stored; these functions make new ones. */

/** The host's openings of a message. People may type the same, so theirs is escaped. */
const HOST_OPENING =
  /^\s*\\*\[\s*(?:(?:routine|routine-bg|reminder|reminder-bg|webhook)\s*:|(?:fork-started|fork-timeout|button|system)\s*\]|note\s+from\b|\d{4,}-\d\d-\d\d\s)/i

/** Invisible characters: `[system]` with one inside looks like the host's tag. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu

/**
 * Typed text that looks like the host's own gets a backslash, so that nobody can speak in its name. Text that already
 * has backslashes there gets one more: different texts stay different.
 */
export function escapeTyped(text: string): string {
  return HOST_OPENING.test(text.replaceAll(UNSEEN, '')) ? text.replace(/[\\[]/, String.raw`\$&`) : text
}

export function noteLabel({ by }: Author): string {
  return `[note from the ${by === 'policy' ? 'host' : by}]`
}

/** `[2026-03-01 Sun 09:30 Europe/Berlin]` */
export function timeLine(at: number, zone: string): string {
  return `[${momentText(at, zone)} ${zone}]`
}
