import { cursorAt, nextSign, placeOf, previousSign, rowsOf } from './editor-rows.ts'
import type { Key } from './keys.ts'
import { typedText } from '../text/neutral.ts'

/** The text being written, and where in it the person is. */
export interface Editor {
  readonly text: string
  /** Between two signs: 0 is before the first. */
  readonly cursor: number
  /** The column to come back to when going up or down through shorter rows. */
  readonly column: number | null
  /** While sent texts are browsed. `draft` is what was being written, for the way back. */
  readonly browsing: { readonly at: number; readonly draft: string } | null
}

/** What a key needs to know besides the text. */
export interface Desk {
  readonly columns: number
  /** Texts sent before, oldest first. */
  readonly sent: readonly string[]
}

export const emptyEditor: Editor = { text: '', cursor: 0, column: null, browsing: null }

export function editorWith(text: string): Editor {
  return { ...emptyEditor, text, cursor: text.length }
}

/** The editor after a key. Keys that do not edit change nothing. */
export function edited(editor: Editor, key: Key, desk: Desk): Editor {
  switch (key.kind) {
    case 'text':
    case 'paste':
      return inserted(editor, typedText(key.text))
    case 'newline':
      return inserted(editor, '\n')
    case 'up':
    case 'down':
      return vertical(editor, key.kind, desk)
    default: {
      const { text, cursor } = editor
      const [target, erased] = [MOVES[key.kind]?.(text, cursor), ERASES[key.kind]?.(text, cursor)]
      if (target !== undefined) return { ...editor, cursor: target, column: null }
      return erased === undefined ? editor : withoutUpTo(editor, erased)
    }
  }
}

/** Enter after a backslash inserts a new line, for terminals without another key for it. */
export function withContinuedLine(editor: Editor): Editor | undefined {
  const { text, cursor } = editor
  if (cursor !== text.length || !text.endsWith('\\')) return undefined
  return inserted(withoutUpTo(editor, cursor - 1), '\n')
}

type Targets = Readonly<Record<string, (text: string, cursor: number) => number>>

/** Where the keys that move take the cursor. */
const MOVES: Targets = {
  left: previousSign,
  right: nextSign,
  home: lineStart,
  end: lineEnd,
  'word-left': wordLeft,
  'word-right': wordRight,
}

/** How far the keys that delete reach. */
const ERASES: Targets = {
  'delete-left': previousSign,
  'delete-right': nextSign,
  'delete-word-left': wordLeft,
  'delete-word-right': wordRight,
  'delete-to-start': lineStart,
  'delete-to-end': (text, cursor) =>
    lineEnd(text, cursor) === cursor ? nextSign(text, cursor) : lineEnd(text, cursor),
}

function lineStart(text: string, cursor: number): number {
  return text.slice(0, cursor).lastIndexOf('\n') + 1
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf('\n', cursor)
  return end === -1 ? text.length : end
}

function wordLeft(text: string, cursor: number): number {
  const near = text.slice(whole(text, Math.max(0, cursor - WORD_MAX)), cursor)
  return cursor - (/[\p{L}\p{N}\p{M}_]*[^\p{L}\p{N}\p{M}_]*$/u.exec(near)?.[0].length ?? 0)
}

function wordRight(text: string, cursor: number): number {
  const near = text.slice(cursor, whole(text, Math.min(text.length, cursor + WORD_MAX)))
  return cursor + (/^[^\p{L}\p{N}\p{M}_]*[\p{L}\p{N}\p{M}_]*/u.exec(near)?.[0].length ?? 0)
}

const WORD_MAX = 256

/** The same place, or the next one if it is between the two halves of a surrogate pair. */
function whole(text: string, at: number): number {
  return at > 0 && /^[\uDC00-\uDFFF]$/.test(text.charAt(at)) ? at + 1 : at
}

function inserted(editor: Editor, text: string): Editor {
  const { cursor } = editor
  const all = editor.text.slice(0, cursor) + text + editor.text.slice(cursor)
  return { ...editor, text: all, cursor: cursor + text.length, column: null }
}

function withoutUpTo(editor: Editor, target: number): Editor {
  const [from, to] = target < editor.cursor ? [target, editor.cursor] : [editor.cursor, target]
  const text = editor.text.slice(0, from) + editor.text.slice(to)
  return { ...editor, text, cursor: from, column: null }
}

/** Moves by rows as they are drawn. Beyond the first and the last row, it browses sent texts that begin with the draft. */
function vertical(editor: Editor, direction: 'up' | 'down', desk: Desk): Editor {
  const rows = rowsOf(editor.text, desk.columns)
  const { row, column } = placeOf(editor.text, rows, editor.cursor)
  const next = direction === 'up' ? row - 1 : row + 1
  if (next < 0 || next >= rows.length) return browsed(editor, direction, desk.sent)
  const wanted = editor.column ?? column
  return { ...editor, cursor: cursorAt(editor.text, rows, { row: next, column: wanted }), column: wanted }
}

function browsed(editor: Editor, direction: 'up' | 'down', sent: readonly string[]): Editor {
  const { at, draft } = editor.browsing ?? { at: sent.length, draft: editor.text }
  const isNext = (text: string): boolean => text.startsWith(draft) && text !== editor.text
  const next =
    direction === 'up'
      ? sent.findLastIndex((text, index) => index < at && isNext(text))
      : sent.findIndex((text, index) => index > at && isNext(text))
  const text = sent[next]
  if (text !== undefined) return { ...editorWith(text), browsing: { at: next, draft } }
  return direction === 'up' || editor.browsing === null ? editor : editorWith(draft)
}
