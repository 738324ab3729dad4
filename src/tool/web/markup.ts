import { decoded } from '../../base/entities.ts'

/** Small readings of HTML and XML that take the same time for hostile texts as for others. */

const TAG = /<\/?[a-z!?][^<>]*>/gi

/** A piece of markup as one line of plain text. */
export function plainLine(markup: string): string {
  return oneLine(decoded(markup.replaceAll(TAG, ' ')))
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** Never within a character. */
export function cutAt(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1)
  return text.slice(0, last >= 0xd8_00 && last <= 0xdb_ff ? chars - 1 : chars)
}
