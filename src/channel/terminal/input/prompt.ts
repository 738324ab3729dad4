import { type Desk, type Editor, edited, editorWith, emptyEditor, withContinuedLine } from './editor.ts'
import type { Key } from './keys.ts'
import type { Completion } from '../port.ts'

/** The input box: the text, and the completions offered for it. */
export interface Prompt {
  readonly editor: Editor
  readonly menu: Menu | null
}

/** What a key asks for, besides a change of the text. */
export type Ask =
  | { readonly kind: 'send'; readonly text: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'redraw' }

export interface Pressed {
  readonly prompt: Prompt
  readonly ask: Ask | null
}

export interface PromptDesk extends Desk {
  complete(line: string): readonly Completion[]
}

export const emptyPrompt: Prompt = { editor: emptyEditor, menu: null }

export function promptWith(text: string): Prompt {
  return { editor: editorWith(text), menu: null }
}

export function pressed(prompt: Prompt, key: Key, desk: PromptDesk): Pressed {
  const { editor, menu } = prompt
  switch (key.kind) {
    case 'enter':
      return entered(prompt, desk)
    case 'interrupt':
      return { prompt, ask: { kind: 'interrupt' } }
    case 'redraw':
      return { prompt, ask: { kind: 'redraw' } }
    case 'end-of-input':
      if (editor.text === '') return { prompt, ask: { kind: 'leave' } }
      return offered(edited(editor, { kind: 'delete-right' }, desk), desk)
    case 'escape':
      return stays({ editor, menu: null })
    case 'tab':
      return menu === null ? offered(editor, desk) : offered(completed(editor, menu), desk)
    case 'back-tab':
      return stays(menu === null ? prompt : { editor, menu: walked(menu, 'up') })
    case 'up':
    case 'down':
      if (menu !== null) return stays({ editor, menu: walked(menu, key.kind) })
      return stays({ editor: edited(editor, key, desk), menu: null })
    default:
      return changed(prompt, edited(editor, key, desk), desk)
  }
}

/** Enter sends the text, or takes the completion that is selected in the menu. */
function entered({ editor, menu }: Prompt, desk: PromptDesk): Pressed {
  if (menu !== null && menu.chosen !== null) return offered(completed(editor, menu), desk)
  const continued = withContinuedLine(editor)
  if (continued !== undefined) return stays({ editor: continued, menu: null })
  if (editor.text.trim() === '') return stays({ editor, menu: null })
  return {
    prompt: emptyPrompt,
    ask: { kind: 'send', text: editor.text.replace(/^(?:[ \t]*\n)+/, '').trimEnd() },
  }
}

/** A changed text gets new completions; moving the cursor closes them. */
function changed(prompt: Prompt, editor: Editor, desk: PromptDesk): Pressed {
  return editor.text === prompt.editor.text ? stays({ editor, menu: null }) : offered(editor, desk)
}

function offered(editor: Editor, desk: PromptDesk): Pressed {
  return stays({ editor, menu: menuFor(editor, (line) => desk.complete(line)) })
}

function stays(prompt: Prompt): Pressed {
  return { prompt, ask: null }
}

/** Completions for the line, offered below the text. */
interface Menu {
  readonly offers: readonly Completion[]
  /** Null until the person selects one with the arrow keys. */
  readonly chosen: number | null
}

const OFFERS_MAX = 6

/** The menu for a text that was just edited: only lines that begin with a slash have one. */
function menuFor(editor: Editor, complete: (line: string) => readonly Completion[]): Menu | null {
  const line = lineAtCursor(editor)
  if (line === undefined || !line.startsWith('/')) return null
  const offers = complete(line).slice(0, OFFERS_MAX)
  const isSettled = offers.length === 1 && offers[0]?.line.trimEnd() === line.trimEnd()
  return offers.length === 0 || isSettled ? null : { offers, chosen: null }
}

function walked(menu: Menu, direction: 'up' | 'down'): Menu {
  const count = menu.offers.length
  const step = direction === 'up' ? -1 : 1
  const from = menu.chosen ?? (direction === 'up' ? 0 : -1)
  return { ...menu, chosen: (from + step + count) % count }
}

/** The text with the line replaced by the selected completion, or by the best one. */
function completed(editor: Editor, { offers, chosen }: Menu): Editor {
  const offer = offers[chosen ?? 0]
  const line = lineAtCursor(editor)
  if (offer === undefined || line === undefined) return editor
  const start = editor.cursor - line.length
  const rest = editor.text.slice(editor.cursor)
  const { length } = editor.text.slice(0, start) + offer.line
  return { ...editorWith(editor.text.slice(0, start) + offer.line + rest), cursor: length }
}

/** The line up to the cursor; undefined if more text follows on it. */
function lineAtCursor({ text, cursor }: Editor): string | undefined {
  if (cursor < text.length && text.charAt(cursor) !== '\n') return undefined
  return text.slice(text.slice(0, cursor).lastIndexOf('\n') + 1, cursor)
}

export const WARNING = 'Press Ctrl-C again to exit.'
export const WARNED_MS = 2_000

/** What Ctrl-C means now. */
export function interruptNow(state: {
  readonly isTurnRunning: boolean
  readonly isTextEmpty: boolean
  /** When the person was last warned. */
  readonly warnedAt: number | null
  readonly now: number
}): 'stop' | 'clear' | 'warn' | 'leave' {
  if (state.isTurnRunning) return 'stop'
  if (!state.isTextEmpty) return 'clear'
  return state.warnedAt !== null && state.now - state.warnedAt <= WARNED_MS ? 'leave' : 'warn'
}
