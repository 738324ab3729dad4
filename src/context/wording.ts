import { momentText } from '../base/time-text.ts'
import type { Author } from '../event/event.ts'
import { opensAsHost } from '../event/fence.ts'

/** The form of the host's own words in a prompt. Written messages are stored; these functions make new ones. */

/**
 * Typed text that looks like the host's own gets a backslash, so that nobody can speak in its name. Text that already
 * has backslashes there gets one more: different texts stay different.
 */
export function escapeTyped(text: string): string {
  return opensAsHost(text) ? text.replace(/[\\[(]/, String.raw`\$&`) : text
}

export function noteLabel({ by }: Author): string {
  return `[note from the ${by === 'policy' ? 'host' : by}]`
}

/** `[2026-03-01 Sun 09:30 Europe/Berlin]` */
export function timeLine(at: number, zone: string): string {
  return `[${momentText(at, zone)} ${zone}]`
}
