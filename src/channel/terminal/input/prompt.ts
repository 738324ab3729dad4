import { type Desk, type Editor, edited, editorWith, emptyEditor, withContinuedLine } from './editor.ts'
import { previousSign } from './editor-rows.ts'
import type { Key } from './keys.ts'
import type { Completion } from '../port.ts'
import { typedText } from '../text/neutral.ts'

/** The input box: the text, the completions offered for it, and the search in sent texts. */
export interface Prompt {
  readonly editor: Editor
  readonly menu: Menu | null
  readonly search?: Search | null
}

/** A search in sent texts (Ctrl-R). The box shows the text that was found. */
interface Search {
  readonly words: string
  /** The place of the text that was found; -1 if there is none. */
  readonly at: number
  /** What was being written. */
  readonly draft: Editor
}

/** The wish of a key, besides a change of the text. */
export type Ask =
  | { readonly kind: 'send'; readonly text: string }
  | { readonly kind: 'interrupt' }
  /** Esc with nothing to close. */
  | { readonly kind: 'stop' }
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
  const { editor, menu, search } = prompt
  if (search) return searching(search, key, { editor, desk })
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
      return menu === null ? { prompt, ask: { kind: 'stop' } } : stays({ editor, menu: null })
    case 'search':
      return found({ words: '', at: desk.sent.length, draft: editor }, desk)
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
    ask: { kind: 'send', text: editor.text.slice(startOfText(editor.text)).trimEnd() },
  }
}

/** The offset of the first line that is not blank. */
function startOfText(text: string): number {
  return text.lastIndexOf('\n', text.search(/\S/)) + 1
}

/**
 * Typing searches for more words, Ctrl-R for an older text. Enter sends the text that was found, Esc and Ctrl-C go back
 * to what was being written, and any other key edits what was found.
 */
function searching(
  search: Search,
  key: Key,
  { editor, desk }: { editor: Editor; desk: PromptDesk },
): Pressed {
  const { words, draft } = search
  switch (key.kind) {
    case 'text':
    case 'paste':
      return found({ ...search, words: words + typedText(key.text), at: desk.sent.length }, desk)
    case 'delete-left':
      return found(
        { ...search, words: words.slice(0, previousSign(words, words.length)), at: desk.sent.length },
        desk,
      )
    case 'search':
      return found(search, desk)
    case 'escape':
    case 'interrupt':
      return stays({ editor: draft, menu: null })
    case 'tab':
      return stays({ editor, menu: null })
    default:
      return pressed({ editor, menu: null }, key, desk)
  }
}

/** The newest text before `at` that contains the words. If there is none, the one at `at` stays. */
function found(search: Search, { sent }: Desk): Pressed {
  const words = search.words.toLowerCase()
  const shown = sent[search.at]
  const isIn = (text: string): boolean => words !== '' && text !== shown && text.toLowerCase().includes(words)
  const older = sent.findLastIndex((text, index) => index < search.at && isIn(text))
  const at = older === -1 && shown !== undefined ? search.at : older
  return stays({
    editor: at === -1 ? search.draft : editorWith(sent[at] ?? ''),
    menu: null,
    search: { ...search, at },
  })
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
  /** The one Enter takes: the only one for a word that was begun, or the one selected with the arrow keys. */
  readonly chosen: number | null
}

const OFFERS_MAX = 6

/** The menu for a text that was just edited: only lines that begin with a slash have one. */
function menuFor(editor: Editor, complete: (line: string) => readonly Completion[]): Menu | null {
  const line = lineAtCursor(editor)
  if (line === undefined || !line.startsWith('/')) return null
  const all = complete(line)
  const offers = all.filter((offer) => offer.line.trimEnd() !== line.trimEnd()).slice(0, OFFERS_MAX)
  // A whole word is sent as it is, although a longer one begins with it; so is a command without its argument.
  const isOnly = all.length === 1 && !/\s$/.test(line)
  return offers.length === 0 ? null : { offers, chosen: isOnly ? 0 : null }
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

/** The meaning of Ctrl-C now. */
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
