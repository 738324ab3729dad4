import { type Editor, editorWith } from './editor.ts'
import type { Completion } from '../port.ts'

/** What may stand where the cursor is, offered below the text. */
export interface Menu {
  readonly offers: readonly Completion[]
  /** Null until the person walks into the list. */
  readonly chosen: number | null
}

export const OFFERS_MAX = 6

/** The menu for a text that was just edited: lines that begin with a slash have one. */
export function menuFor(editor: Editor, complete: (line: string) => readonly Completion[]): Menu | null {
  const line = lineAtCursor(editor)
  if (line === undefined || !line.startsWith('/')) return null
  const offers = complete(line).slice(0, OFFERS_MAX)
  const isSettled = offers.length === 1 && offers[0]?.line.trimEnd() === line.trimEnd()
  return offers.length === 0 || isSettled ? null : { offers, chosen: null }
}

export function walked(menu: Menu, direction: 'up' | 'down'): Menu {
  const count = menu.offers.length
  const step = direction === 'up' ? -1 : 1
  const from = menu.chosen ?? (direction === 'up' ? 0 : -1)
  return { ...menu, chosen: (from + step + count) % count }
}

/** The text with the chosen offer, or the best one, in place of the line. */
export function completed(editor: Editor, { offers, chosen }: Menu): Editor {
  const offer = offers[chosen ?? 0]
  const line = lineAtCursor(editor)
  if (offer === undefined || line === undefined) return editor
  const start = editor.cursor - line.length
  const rest = editor.text.slice(editor.cursor)
  const { length } = editor.text.slice(0, start) + offer.line
  return { ...editorWith(editor.text.slice(0, start) + offer.line + rest), cursor: length }
}

/** The line that ends at the cursor; undefined where more follows on it. */
function lineAtCursor({ text, cursor }: Editor): string | undefined {
  if (cursor < text.length && text.charAt(cursor) !== '\n') return undefined
  return text.slice(text.slice(0, cursor).lastIndexOf('\n') + 1, cursor)
}
