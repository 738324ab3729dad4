import { type Desk, type Editor, edited, editorWith, emptyEditor, withContinuedLine } from './editor.ts'
import type { Key } from './keys.ts'
import { type Menu, completed, menuFor, walked } from './menu.ts'
import type { Completion } from '../port.ts'

/** Where a person writes: the text, and what is offered for it. */
export interface Prompt {
  readonly editor: Editor
  readonly menu: Menu | null
}

/** What a key asks of others. */
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

/** Enter sends what is written; where the person walked into the list it takes the chosen offer instead. */
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

/** A text that changed gets new offers; moving about in it closes them. */
function changed(prompt: Prompt, editor: Editor, desk: PromptDesk): Pressed {
  return editor.text === prompt.editor.text ? stays({ editor, menu: null }) : offered(editor, desk)
}

function offered(editor: Editor, desk: PromptDesk): Pressed {
  return stays({ editor, menu: menuFor(editor, (line) => desk.complete(line)) })
}

function stays(prompt: Prompt): Pressed {
  return { prompt, ask: null }
}
