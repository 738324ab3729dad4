import { stripVTControlCharacters } from 'node:util'
import { widthOf } from '../../../base/width.ts'
import type { Frame } from './frame.ts'

/**
 * Erases a frame after its terminal has become narrower, and leaves the cursor as far below the frame's top as it was.
 * Terminals wrap long lines again when they are resized, so what was one row may be two, and whoever erases as many
 * rows as they wrote leaves the rest behind.
 */
export function eraseRewrapped(frame: Frame, columns: number, rows: number): string {
  const { cursor, lines } = frame
  if (cursor === undefined) return ''
  const rewrapped = lines
    .slice(0, cursor.y)
    .map((line) => rowsFor(widthOf(stripVTControlCharacters(line)), columns))
  const above = rewrapped.reduce((sum, count) => sum + count, 0) + Math.floor(cursor.x / columns)
  const up = above > 0 ? `\u001B[${above}A` : ''
  // Line by line: tmux takes one erasure from the corner for clearing the screen, and keeps what was there.
  const erase = Array.from({ length: rows }, () => '\u001B[2K').join('\u001B[B')
  const down = cursor.y > 0 ? `\u001B[${cursor.y}B` : ''
  return `${HIDE}${up}\r${SAVE}${erase}${RESTORE}${down}`
}

const HIDE = '\u001B[?25l'
const SAVE = '\u001B7'
const RESTORE = '\u001B8'

function rowsFor(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns))
}
